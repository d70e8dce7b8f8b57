"""Fast evaluation of homomorphic encryption schemes based on Ring-LWE: PAnTHErS, calibrated [FerLL18]."""
