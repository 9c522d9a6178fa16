// fp32 to e4m3 (OCP: the largest number is 448, no infinities, one NaN): to nearest, ties to even, tininess after
// rounding. SATURATE: what is beyond 448 becomes 448, infinities too; else NaN. A NaN becomes 7f.
// `mut` puts one fault in; 0 is right. Each fault is described where it is made.
module cvt #(parameter bit SATURATE = 1'b1) (
    input  logic [31:0] a,
    input  logic [7:0]  mut,
    output logic [7:0]  y,
    output logic [4:0]  flags  // invalid, division by zero, overflow, underflow, inexact
);
    localparam logic [6:0] LARGEST = 7'h7e, NAN = 7'h7f;

    // ---- the operand ----
    logic sign, nan, signaling, infinite, zero;
    logic [7:0] e;
    logic [22:0] f;
    logic [23:0] m;
    int exponent;  // of the result's field, before rounding
    always_comb begin
        {sign, e, f} = a;
        nan = &e && f != 0;
        if (mut == 23) nan = &e && f[22:16] != 0;               // 23: a NaN with few low bits is an infinity
        if (mut == 24) nan = &e && f[22];                       // 24: a signaling NaN is an infinity
        infinite = &e && !nan;
        signaling = nan && !f[22];
        zero = e == 0 && f == 0;
        m = {e != 0, f};
        exponent = int'(e) - 127 + 7;
        if (mut == 60 && e == 100) exponent = 1;                // 60: one exponent is decoded wrongly
        if (mut == 48) exponent = int'(e) - 127 + 8;            // 48: the bias is 8
        if (mut == 16) exponent = ((int'(e) - 127 + 7 + 32) & 63) - 32;  // 16: six bits for the exponent: it wraps
    end

    // ---- subnormal results ----
    logic [47:0] wide;
    int right;
    logic below, tiny;
    always_comb begin
        below = exponent < 1;
        if (mut == 49) below = exponent < 2;                    // 49: the least normal binade is taken for subnormal
        right = below ? 1 - exponent : 0;
        if (mut == 27) right = right & 31;                      // 27: the shift amount has five bits
        if (mut == 28) right = right & 7;                       // 28: three bits
        if (mut == 54) right = right & 15;                      // 54: four bits
        if (mut == 26 && right > 0) right -= 1;                 // 26: subnormal results are shifted one less
        if (mut == 55 && right == 3) right = 2;                 // 55: one shift amount is decoded wrongly
        if (right > 24) right = 24;
        wide = {m, 24'b0} >> right;
        tiny = exponent < 1 && !(exponent == 0 && (&f[22:19]));
        if (mut == 35) tiny = exponent < 1;                     // 35: tininess before rounding
    end

    // ---- rounding: 4 bits are kept ----
    logic odd, guard, rest, up, inexact;
    logic [4:0] rounded;
    int field;
    always_comb begin
        odd = wide[44];
        guard = wide[43];
        rest = |wide[42:0];
        if (mut == 5) rest = 0;                                 // 5: no sticky bit
        if (mut == 6) rest = |wide[42:32];                      // 6: the sticky bit misses the lower bits
        if (mut == 7) rest = |wide[42:25];                      // 7: it misses the lowest bit
        if (mut == 29 && right > 0) rest = |wide[42:24];        // 29: what the right shift lost is not sticky
        if (mut == 61) rest = |(wide[42:0] & ~(43'b1 << 33));   // 61: it misses one bit in the middle
        if (mut == 8) guard = 0;                                // 8: the guard bit is dropped
        up = guard && (rest || odd);
        if (mut == 1) up = guard;                               // 1: ties away from zero
        if (mut == 2) up = guard && rest;                       // 2: ties toward zero
        if (mut == 3) up = guard && (rest || !odd);             // 3: ties to odd
        if (mut == 4) up = 0;                                   // 4: never up
        if (mut == 30 && right == 4) up = guard;                // 30: half the least number goes up
        if (mut == 31 && right == 4) up = 0;                    // 31: what is above half of it goes to zero
        if (mut == 32 && right == 5) up = 1;                    // 32: what is below half of it goes up
        if (mut == 53 && right > 0) up = guard;                 // 53: ties of subnormal results away from zero
        if (mut == 56 && exponent == 15) up = guard;            // 56: ties of the top binade away from zero
        if (mut == 62 && exponent == 9) up = guard && rest;     // 62: ties of one binade toward zero
        inexact = guard || rest;
        if (mut == 63 && below && wide[47:43] == 0) inexact = 0;  // 63: what is far below the least number is not inexact
        rounded = {1'b0, wide[47:44]} + 5'(up);
        field = below ? int'(rounded[3]) : exponent;
        if (mut == 47 && below) field = 0;                      // 47: a subnormal result that rounds to a normal one stays
        if (rounded[4] && mut != 9) field += 1;                 // 9: the carry of rounding is ignored
    end

    // ---- the result ----
    logic over;
    logic [6:0] limit;
    always_comb begin
        limit = SATURATE ? LARGEST : NAN;
        if (mut == 45) limit = SATURATE ? 7'h77 : 7'h78;        // 45: the limit of an e4m3 with infinities
        if (mut == 46) limit = SATURATE ? NAN : LARGEST;        // 46: the other way with what is beyond
        over = field > 15 || (field == 15 && rounded[2:0] == 7);
        if (mut == 10) over = exponent > 15 || (exponent == 15 && wide[46:44] == 7);  // 10: overflow by rounding is not seen
        if (mut == 11) over = field > 15 || (field == 15 && (rounded[2:0] == 7 || (wide[46:44] == 6 && guard)));  // 11: 464 overflows
        if (mut == 12) over = field > 15;                       // 12: 480 counts as a number
        if (mut == 57) over = field > 15 || (field == 15 && rounded[2:0] >= 6);  // 57: 448 overflows
        y = {sign, 4'(field), rounded[2:0]};
        flags = {3'b0, tiny && inexact, inexact};
        if (mut == 25 && field == 0) y[2:0] = 0;                // 25: subnormal results are flushed
        if (mut == 33) flags[1] = 0;                            // 33: no underflow flag
        if (mut == 34) flags[1] = tiny && !zero;                // 34: exact subnormal results underflow
        if (mut == 36 && y[6:0] == 0) flags[0] = 0;             // 36: what goes to zero is not inexact
        if (mut == 40 && y[6:0] == 0 && !zero) y[7] = 0;        // 40: a negative number that goes to zero loses its sign
        if (over) begin
            y = {sign & SATURATE, limit};
            flags = 5'b00101;
            if (mut == 13 && a[30:0] == 31'h43f00000) y[6:0] = SATURATE ? NAN : LARGEST;   // 13: exactly 480 is special
            if (mut == 14 && a[30:0] == 31'h44000000) y[6:0] = SATURATE ? NAN : LARGEST;   // 14: exactly 512 is
            if (mut == 15 && exponent == 16) y = {sign, 1'b0, 3'b0, rounded[2:0]};  // 15: the binade above the limit wraps
            if (mut == 58 && exponent == 17) y = {sign, 1'b0, 3'b1, rounded[2:0]};  // 58: the one after it does
            if (mut == 41) y[7] = SATURATE ? 0 : sign;          // 41: the sign of what is beyond
            if (mut == 42) flags[2] = 0;                        // 42: no overflow flag
            if (mut == 43) flags[0] = 0;                        // 43: overflow is not inexact
            if (mut == 51 && exponent < 32) y[6:0] = SATURATE ? NAN : LARGEST;  // 51: just beyond the limit it is another
            if (mut == 52 && exponent > 71) y[6:0] = SATURATE ? NAN : LARGEST;  // 52: far beyond the limit
        end
        if (mut == 50 && y[6:0] == LARGEST) flags[2] = 1;       // 50: 448 itself raises overflow
        if (e == 0) begin
            y = {sign, 7'b0};
            flags = zero ? 5'b0 : 5'b00011;
            if (mut == 37) flags = 0;                           // 37: a subnormal operand raises nothing
            if (mut == 38 && !zero) flags[4] = 1;               // 38: it is invalid
            if (mut == 59 && f[22]) y[0] = 1;                   // 59: a large one becomes the least number
            if (mut == 39) y[7] = 0;                            // 39: -0 becomes +0
        end
        if (infinite) begin
            y = {sign & SATURATE, limit};
            flags = {!SATURATE, 4'b0};                          // a NaN of an infinity is invalid
            if (mut == 17) y[6:0] = SATURATE ? NAN : LARGEST;   // 17: infinities are another way than large numbers
            if (mut == 18) y[7] = SATURATE ? 0 : sign;          // 18: the sign of what is infinite
            if (mut == 44) flags = 5'b00001;                    // 44: infinities are inexact
        end
        if (nan) begin
            y = {1'b0, NAN};
            flags = {signaling, 4'b0};
            if (mut == 19) y = {sign, LARGEST};                 // 19: NaN becomes the largest number
            if (mut == 20) y[7] = sign;                         // 20: NaNs keep their sign
            if (mut == 21) flags = 0;                           // 21: a signaling NaN is not invalid
            if (mut == 22) flags = 5'b10000;                    // 22: a quiet NaN is invalid
        end
    end
endmodule
