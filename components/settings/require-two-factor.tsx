"use client";

import { Box, Switch } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import { useInvalidation } from "@/components/use-invalidation";

/**
 * Requires a second factor from the partner's staff and all organizations' users. Only for users who can see all
 * organizations: for others, reading the setting would record a denial.
 */
export function RequireTwoFactor() {
  const trpc = useTRPC();
  const policy = useQuery(trpc.organizations.partnerPolicy.queryOptions({}));
  const save = useMutation(
    trpc.organizations.setPartnerPolicy.mutationOptions(useInvalidation(trpc.organizations.pathFilter())),
  );
  if (!policy.data) return null;
  return (
    <Box px={{ base: 16, sm: 24 }}>
      <Switch
        label="Require two-factor sign-in for everyone"
        description="For your own staff and the users of every organization, from their next request on"
        checked={policy.data.requireTwoFactor}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ requireTwoFactor: event.currentTarget.checked })}
        mb="md"
      />
      {save.isError && <Message tone="bad">{errorText(save.error)}</Message>}
    </Box>
  );
}
