-- An alarm is over when a reading of the whole chain that began after it was last raised finds nothing; when it was first
-- raised stays as well. Of an alarm that an earlier version raised, or raises beside this one, it is the moment of writing.
ALTER TABLE audit_alarms ADD COLUMN last_raised_at timestamptz(3) NOT NULL DEFAULT now();
