"""What every Python worker shares: the protocol loop and the execution of a program over a `Backend`.

Speaks Python 3.10 and needs numpy alone. It knows no library; `workers/PROTOCOL.md` is its contract.
"""
