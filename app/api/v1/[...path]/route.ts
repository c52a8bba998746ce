import { AppError } from "@/server/errors";
import { problemResponse } from "@/server/http/problem";

/** Whatever no other route answers: the same JSON 404 under both doors. */
const handler = async () =>
  problemResponse(new AppError("not_found", "There is nothing at this address."), crypto.randomUUID());

export { handler as DELETE, handler as GET, handler as PATCH, handler as POST, handler as PUT };
