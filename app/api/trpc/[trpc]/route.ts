import { answerTrpc } from "@/server/doors/trpc/handler";

export const dynamic = "force-dynamic";

export { answerTrpc as GET, answerTrpc as POST };
