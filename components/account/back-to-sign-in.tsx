import Link from "next/link";
import classes from "./entrance.module.css";

/** The way on for people who came to a form about a password and do not need it. */
export const BackToSignIn = () => (
  <Link href="/login" className={`tm-link ${classes.back}`}>
    Back to sign-in
  </Link>
);
