package io.github.digitalbankingsim;

/** Says why a call on a bank failed: the simulator refused it, gave no answer, or did not start. */
public final class BankException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int status;

    BankException(String message, int status) {
        super(message);
        this.status = status;
        Failure.outside(this);
    }

    BankException(String message, Throwable cause) {
        super(message, cause);
        this.status = 0;
        Failure.outside(this);
    }

    static BankException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt(); // whoever has interrupted the thread finds it so
        return new BankException("the thread was interrupted while it waited for the simulator", e);
    }

    /** Returns the status of the refusal, such as 404, or 0 if there was none. */
    public int status() {
        return status;
    }
}
