# Layer 8: what is wrong with a checkpoint.
