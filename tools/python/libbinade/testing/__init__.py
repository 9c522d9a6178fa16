"""libbinade.testing: tests for other people's casts, blocks and matrix products.

    from libbinade.testing import assert_cast
    def test_my_cast():
        assert_cast(my_cast, "e4m3", dialect="torch")

A failure says which input was wrong first, how many of which class were wrong, which dialect the function follows, and
which known fault gives the same results.
"""
from .block import BlockReport, assert_block, check_block
from .cast import CastReport, assert_cast, check_cast
from .decode import DecodeReport, assert_decode, check_decode
from .gemm import GemmReport, assert_gemm, check_gemm

__all__ = ["BlockReport", "CastReport", "DecodeReport", "GemmReport", "assert_block", "assert_cast", "assert_decode",
           "assert_gemm", "check_block", "check_cast", "check_decode", "check_gemm"]
