"""The noise of TFHE: variances of each step, and how often a look-up or a whole program fails."""
