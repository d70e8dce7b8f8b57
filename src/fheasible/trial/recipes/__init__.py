"""What people compute: for each, a function that declares the inputs and adds the steps."""
