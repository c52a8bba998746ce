"use client";

import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { When } from "@/components/format/when";
import classes from "@/components/import/import.module.css";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import type { ImportState } from "@/server/custom-fields/import/schema";

/** States that the mapping is from an earlier file with the same columns, with a button to ignore it. */
export function SavedMappingNote({ state, flush }: { state: ImportState; flush: () => Promise<unknown> }) {
  const trpc = useTRPC();
  const { scope, onSuccess } = useChange(state.id, trpc.imports.faults.queryFilter({ id: state.id }));
  const ignore = useMutation(trpc.imports.ignoreMapping.mutationOptions({ scope, onSuccess }));
  const { mappingFrom } = state.summary;
  if (!mappingFrom || state.startedAt) return null;
  return (
    <div className={classes.note}>
      <p>
        <strong>You have mapped these columns before.</strong> The mapping of <When at={mappingFrom} /> is filled in.
      </p>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => void flush().then(() => ignore.mutate({ id: state.id }))}
        loading={ignore.isPending}
      >
        Ignore saved mapping
      </Button>
      {ignore.error && <Message tone="bad">{errorText(ignore.error)}</Message>}
    </div>
  );
}
