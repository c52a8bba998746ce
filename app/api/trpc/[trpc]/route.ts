import { answerTrpc } from "@/server/trpc/handler";

export const dynamic = "force-dynamic";

export { answerTrpc as GET, answerTrpc as POST };
