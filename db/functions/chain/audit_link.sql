-- The checksum: SHA-256 over the previous row's checksum (NULL on the first), the row's own number, and the texts of
-- audit_lengths() and audit_values().
CREATE OR REPLACE FUNCTION audit_link(prev text, seq bigint, lengths text, vals text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN encode(
  sha256(convert_to(
    'v1;' || coalesce(octet_length(prev)::text, '-') || ',' || octet_length(seq::text)::text || ',' || lengths || ';'
      || coalesce(prev, '') || seq::text || vals,
    'UTF8')),
  'hex');

GRANT EXECUTE ON FUNCTION audit_link TO trailmark_app, trailmark_audit_admin;
