"""What people compute: a function for each, that declares its inputs and adds its steps."""
