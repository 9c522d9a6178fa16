// The unit of unit.c in SystemVerilog, with the same two errors: fp32 into e4m3, but ties go away from zero, not to the
// even number, and 480 is taken for the largest number.
module unit (
    input  logic [31:0] x,
    output logic [7:0]  y
);
    localparam int LEAST_EXPONENT = -6, FRACTION = 3;
    int exponent, below, dropped;
    logic [23:0] significand;
    logic [31:0] kept, code;
    always_comb begin
        exponent = int'(x[30:23]) - 127;
        significand = {x[30:23] != 0, x[22:0]};
        below = exponent < LEAST_EXPONENT ? LEAST_EXPONENT - exponent : 0;
        dropped = 23 - FRACTION + below;
        kept = dropped > 24 ? 0 : ({8'b0, significand} + (32'd1 << (dropped - 1))) >> dropped;
        code = kept + (below > 0 ? 0 : 32'(exponent - LEAST_EXPONENT) << FRACTION);
        y = {x[31], exponent > 8 || code > 127 ? 7'h7f : code[6:0]};
    end
endmodule
