-- The tables of `strobe export parquet -o profiles`, for the other queries: duckdb -cmd ".read tables.sql". A file
-- that exists twice, in any folder, counts once.
CREATE OR REPLACE VIEW runs AS SELECT DISTINCT * FROM read_parquet('profiles/runs-*.parquet');
CREATE OR REPLACE VIEW samples AS SELECT DISTINCT * FROM read_parquet('profiles/samples-*.parquet');
CREATE OR REPLACE VIEW stacks AS SELECT DISTINCT * FROM read_parquet('profiles/stacks-*.parquet');
CREATE OR REPLACE VIEW frames AS SELECT DISTINCT ON (frame) * FROM read_parquet('profiles/frames-*.parquet');
