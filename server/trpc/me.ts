import { getMe } from "@/server/me/get";
import { procedure, router } from "./init";

export const meRouter = router({
  get: procedure().query(({ ctx }) => getMe(ctx.caller)),
});
