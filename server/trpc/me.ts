import { getMe } from "@/server/me/get";
import { query, router } from "./init";

export const meRouter = router({
  get: query(getMe),
});
