"""Stand-ins for packages that are not maintained any more, with the same names and arguments.

    from libbinade.shims.qtorch import float_quantize           # QPyTorch, qtorch.quant
    from libbinade.shims.mx_specs import finalize_mx_specs, quantize_mx_op   # microxcaling, mx

Each rounds as libbinade does: once, with subnormals, to the numbers of the format. `differences` of each module says
for a tensor how many results differ from those of the package, and why.
"""
