// Reads vectors.hex (binade vectors gen --memh: operand, expected result, flags), gives each operand to the unit, and
// writes the operand and the unit's answer to answers.txt, a line per vector.
module unit_tb;
    localparam int MOST = 1 << 20;
    logic [47:0] vectors[0:MOST-1]; // 32 bits of operand, 8 of result, 8 of flags
    logic [31:0] x;
    logic [7:0] y;
    int file, count;

    unit dut (.x, .y);

    initial begin
        if (!$value$plusargs("count=%d", count) || count > MOST) $fatal(1, "say +count=N");
        $readmemh("vectors.hex", vectors, 0, count - 1);
        file = $fopen("answers.txt", "w");
        for (int i = 0; i < count; i++) begin
            x = vectors[i][47:16];
            #1 $fdisplay(file, "%h %h", x, y);
        end
        $fclose(file);
        $finish;
    end
endmodule
