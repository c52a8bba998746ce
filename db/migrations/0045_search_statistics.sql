-- An organization that has just written much has no place in the statistics: its blocks were all read where the index of
-- texts would have been asked. A fiftieth of the table is enough for new ones.
ALTER TABLE audit_search SET (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000);
