-- Version 2: room for what is built from clips. The bytes belong to the library's modules.

-- Goes up with every change of clips; values built at an earlier one may be out of date.
ALTER TABLE meta ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;

-- Stretches of a clip, each with its coefficients.
CREATE TABLE segments (
    clip_id INTEGER NOT NULL REFERENCES clips (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,               -- which module cut and reads it
    start   INTEGER NOT NULL,            -- frames of the derived clip
    "end"   INTEGER NOT NULL CHECK ("end" > start),
    version INTEGER NOT NULL,            -- of bytes
    bytes   BLOB NOT NULL,
    PRIMARY KEY (clip_id, kind, start, "end")
) STRICT;

-- Networks, performance models and whatever else is built from many clips.
CREATE TABLE built (
    id         INTEGER PRIMARY KEY,
    kind       TEXT NOT NULL,            -- 'network', 'performance-model', …
    name       TEXT NOT NULL,
    version    INTEGER NOT NULL,         -- of bytes
    generation INTEGER NOT NULL,         -- of the clips it was built from
    bytes      BLOB NOT NULL,
    UNIQUE (kind, name)
) STRICT;
