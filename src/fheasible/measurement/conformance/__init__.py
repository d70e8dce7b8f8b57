"""What every worker is asked, whoever wrote it: are its answers right, and does it keep to the protocol?"""
