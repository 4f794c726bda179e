-- Version 3: what files say stays apart from what the program finds, and takes that were thrown out are remembered.

-- Contacts that the file itself marks, in frames of the clip as it came, an added T-pose counted. JSON:
-- {"left": {"heel": [[start, end], …], "toe": […]}, "right": {…}}, ends not included.
CREATE TABLE given_contacts (
    clip_id INTEGER PRIMARY KEY REFERENCES clips (id) ON DELETE CASCADE,
    feet    TEXT NOT NULL
) STRICT;

-- Takes of a file that the user removed while others of it stayed; naming the file itself brings them back.
CREATE TABLE removed_takes (
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    take    INTEGER NOT NULL,
    PRIMARY KEY (file_id, take)
) STRICT, WITHOUT ROWID;

-- Tags are lower case from here on.
UPDATE OR REPLACE tags SET tag = lower(tag) WHERE tag <> lower(tag);
