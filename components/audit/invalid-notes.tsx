"use client";

import { Box } from "@mantine/core";
import { useZone } from "@/components/format/zone";
import { Message } from "@/components/ui/notice";
import { invalidQualifiers } from "./search/invalid-qualifiers";
import { useReader } from "./search/reader";
import { FROM_START } from "./state/view";
import { useViewer } from "./state/viewer-context";

/** Reports URL parameters that were ignored because they are invalid. */
export function InvalidParams({ parts }: { parts: string[] }) {
  return (
    <Box mx="edge" mb={12}>
      <Message tone="warn">
        Part of the address is not valid and was ignored: {parts.join(", ")}. It does not filter the list below.
      </Message>
    </Box>
  );
}

/** Lists parts of the search that look like filters but are not, each with a button for the probable intention. */
export function InvalidQualifiers() {
  const { view, setView } = useViewer();
  const { zone } = useZone();
  const reader = useReader(zone);
  const text = view.q ?? "";
  const invalid = invalidQualifiers(text);
  if (invalid.length === 0) return null;
  const read = async (part: string, instead: string) =>
    setView({ ...(await reader.read(view, text.replace(part, instead))), ...FROM_START });
  return (
    <Box mx="edge" mb={12}>
      <Message tone="warn">
        {invalid.map(({ part, reason, instead }) => (
          <span key={part}>
            <code>{part}</code> {reason}; it was searched as text.{" "}
            {instead && (
              <button type="button" className="tm-press" onClick={() => void read(part, instead)}>
                Search for {instead} instead
              </button>
            )}{" "}
          </span>
        ))}
      </Message>
    </Box>
  );
}
