# Layer 8: what weights become in other formats.
