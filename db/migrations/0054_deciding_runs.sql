-- A break stands until a run that read the whole log found none: the newest run that found one, or ended what earlier ones
-- had found, is one probe a chain, however many quiet nights came after it.
CREATE INDEX audit_verifications_deciding_idx ON audit_verifications (org_id, ran_at)
WHERE status = 'broken' OR ((kind = 'whole' OR (kind = 'nightly' AND rolling_through_seq IS NULL))
  AND (status IN ('intact', 'empty') OR (status = 'unproven' AND covered_through_seq IS NOT NULL)));
