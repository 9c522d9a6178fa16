# Layer 8: other formats and layouts for checkpoints.
