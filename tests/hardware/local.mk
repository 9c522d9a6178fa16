# Units in SystemVerilog, right and with one fault each, where there is Verilator: `binade vectors check` tells them apart.
TESTS += tests/hardware/run.sh
EXTRA_DIST += \
	tests/hardware/cvt.sv tests/hardware/fadd.sv tests/hardware/fmul.sv tests/hardware/local.mk \
	tests/hardware/run.sh tests/hardware/units.cpp
