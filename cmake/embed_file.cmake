# Write the bytes of IN as a C array named ID to OUT; see embed.cmake.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE
	"(................................................................................)"
	"\\1\n\t" bytes "${bytes}")
file(WRITE ${OUT} "/* Made from ${ID} by the build. */\nstatic const char ${ID}[] = {\n\t${bytes}0\n};\n")
