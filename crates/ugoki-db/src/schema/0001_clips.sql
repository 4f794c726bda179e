-- Version 1: clips, where they come from, and what was derived from them.

-- Every skeleton once, however many clips are on it.
CREATE TABLE skeletons (
    id         INTEGER PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE,     -- SHA-256 of bytes
    num_joints INTEGER NOT NULL,
    bytes      BLOB NOT NULL             -- Skeleton::to_bytes
) STRICT;

-- One row: what every derived clip is on.
CREATE TABLE meta (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    skeleton_id INTEGER NOT NULL REFERENCES skeletons (id),
    fps         REAL NOT NULL CHECK (fps > 0),
    program     TEXT NOT NULL            -- version of the program that made the database
) STRICT;

CREATE TABLE licences (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,           -- SHA-256 of name and text
    name TEXT NOT NULL,                  -- file it was read from, or 'given'
    text TEXT NOT NULL
) STRICT;

-- Every file that was looked at, also those that could not be used, so that a second import skips them.
CREATE TABLE files (
    id          INTEGER PRIMARY KEY,
    path        TEXT NOT NULL UNIQUE,    -- relative to the folder of the database, with forward slashes
    size        INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,        -- since 1970; with size the cheap test for a change
    hash        BLOB NOT NULL,           -- SHA-256 of the content
    companions  TEXT NOT NULL,           -- JSON: files beside it that were needed, with size, time and hash
    format      TEXT,                    -- 'bvh', …; NULL when it was not recognised
    options     TEXT NOT NULL,           -- JSON: how the user wanted it read
    findings    TEXT NOT NULL,           -- JSON: what was odd, as `ugoki check --json` says it
    licence_id  INTEGER REFERENCES licences (id),
    status      TEXT NOT NULL CHECK (status IN ('imported', 'refused', 'removed')),
    reason      TEXT,                    -- why it was refused
    program     TEXT NOT NULL            -- version that looked at it; a newer one tries refused files again
) STRICT;
CREATE INDEX files_by_hash ON files (hash);

-- Ids are never used twice, so that `#id:17` keeps its meaning.
CREATE TABLE clips (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    name           TEXT NOT NULL UNIQUE,
    file_id        INTEGER REFERENCES files (id),
    take           INTEGER NOT NULL,     -- index in the file, from 0
    skeleton_id    INTEGER NOT NULL REFERENCES skeletons (id),
    fps            REAL NOT NULL CHECK (fps > 0),
    frames         INTEGER NOT NULL,     -- of the source, an added T-pose counted
    tpose          INTEGER NOT NULL CHECK (tpose IN (0, 1)),
    motion_seconds REAL NOT NULL,        -- without the T-pose
    fingerprint    BLOB NOT NULL,        -- layout in docs/formats/database.md
    duplicate_of   INTEGER REFERENCES clips (id) ON DELETE SET NULL,
    underived      TEXT,                 -- why there is no row in derived; NULL when there is one
    UNIQUE (file_id, take)
) STRICT;
CREATE INDEX clips_by_length ON clips (motion_seconds);
CREATE INDEX clips_by_original ON clips (duplicate_of);

-- The clip as it came: zstd of Clip::to_bytes.
CREATE TABLE sources (
    clip_id INTEGER PRIMARY KEY REFERENCES clips (id) ON DELETE CASCADE,
    bytes   BLOB NOT NULL
) STRICT;

-- The clip on the database's skeleton at its rate: PackedClip::to_bytes.
CREATE TABLE derived (
    clip_id INTEGER PRIMARY KEY REFERENCES clips (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,            -- of deriving; older ones are made again
    frames  INTEGER NOT NULL,
    bytes   BLOB NOT NULL
) STRICT;

-- What the automatic tags are judged by.
CREATE TABLE measures (
    clip_id     INTEGER PRIMARY KEY REFERENCES clips (id) ON DELETE CASCADE,
    speed_m_s   REAL NOT NULL,           -- mean of the hips over the ground
    peak_m_s    REAL NOT NULL,           -- 95th percentile
    path_m      REAL NOT NULL,
    turn_deg    REAL NOT NULL,           -- from first to last frame, to the left positive
    left_deg    REAL NOT NULL,           -- largest turn to the left between any two moments
    right_deg   REAL NOT NULL,
    rise_m      REAL NOT NULL,           -- hips at the end over hips at the beginning
    steps       INTEGER NOT NULL,
    flights     INTEGER NOT NULL
) STRICT;

CREATE TABLE tags (
    clip_id   INTEGER NOT NULL REFERENCES clips (id) ON DELETE CASCADE,
    tag       TEXT NOT NULL,
    automatic INTEGER NOT NULL CHECK (automatic IN (0, 1)),
    PRIMARY KEY (clip_id, tag, automatic)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag, clip_id);

-- The floor and when heels and toes stand on it, in frames of the derived clip: Contacts::to_bytes.
CREATE TABLE contacts (
    clip_id INTEGER PRIMARY KEY REFERENCES clips (id) ON DELETE CASCADE,
    bytes   BLOB NOT NULL
) STRICT;
