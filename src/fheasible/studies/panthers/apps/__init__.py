"""The applications that PAnTHErS publishes beside Equation 3 [FerLL18], written anew for encrypted bits.

Its repository has them as lists of gates, of which only facts are taken: what they compute, and their counts.
"""
