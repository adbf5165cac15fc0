#ifndef FORMAT_HEADER_PRIV_H
#define FORMAT_HEADER_PRIV_H

/* Sizes and offsets in bytes of the header and of the table of sections. Source: strobe.data(5), "Header". */
enum {
	HEADER_PIPE = 16, /* the pipe form: magic and size only */
	HEADER_OLD = 72,  /* the oldest files, without feature bits */
	HEADER_FILE = 104,
	/* where the header stores its size, {offset, size} of the records, and the feature bits */
	HEADER_AT_SIZE = 8,
	HEADER_AT_DATA = 40,
	HEADER_AT_FEATURES = 72,
	SECTION_ENTRY = 16, /* {offset, size} of a section; one for each feature bit, behind the records */
};

#endif
