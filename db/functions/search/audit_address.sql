-- A text as an IP address or network; NULL where it is none.
CREATE OR REPLACE FUNCTION audit_address(p_text text) RETURNS inet
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
  IF p_text ~ '^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}$' AND right(p_text, 1) <> '.' THEN RETURN p_text::inet; END IF;
  IF position(':' IN p_text) = 0 THEN RETURN NULL; END IF;
  RETURN p_text::inet;
EXCEPTION WHEN invalid_text_representation THEN
  RETURN NULL;
END
$$;

GRANT EXECUTE ON FUNCTION audit_address TO trailmark_app;
