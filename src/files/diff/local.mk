# Layer 9: how two checkpoints differ.
