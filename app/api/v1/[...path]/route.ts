import { problemResponse } from "@/server/doors/http/problem";
import { AppError } from "@/server/ground/errors";

/** Catches every path without a route, so that unknown paths get the same JSON 404. */
const handler = async () =>
  problemResponse(new AppError("not_found", "There is nothing at this address."), crypto.randomUUID());

export { handler as DELETE, handler as GET, handler as PATCH, handler as POST, handler as PUT };
