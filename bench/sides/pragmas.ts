/** SQLite as fast as it is with every commit synced: the settings of the ceilings. */
export const FAST_AND_SYNCED =
  'PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=8000';
