-- The backlog of the indexer counts the rows that first sightings have not come to.
CREATE POLICY audit_first_seen_state_sealer ON audit_first_seen_state FOR SELECT TO trailmark_sealer USING (true);
GRANT SELECT ON audit_first_seen_state TO trailmark_sealer;
