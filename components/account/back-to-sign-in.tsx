import Link from "next/link";
import classes from "./auth.module.css";

/** For users who opened a password form by mistake. */
export const BackToSignIn = () => (
  <Link href="/login" className={`tm-link ${classes.back}`}>
    Back to sign-in
  </Link>
);
