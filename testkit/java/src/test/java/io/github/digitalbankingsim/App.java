package io.github.digitalbankingsim;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** An app that uses a bank. */
final class App {
    static final String GROUPS = "/digitalbanking/groups/v3/groups";
    static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY).build();
    private static final AtomicInteger REQUESTS = new AtomicInteger();

    private App() {}

    /** Sends a request, and returns the status of the answer, or 0 if it was lost. */
    static int ask(Bank bank, String method, String path, Object body, String token) throws InterruptedException {
        var content = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(Json.tree(body).toString());
        var request = HttpRequest.newBuilder(URI.create(bank.baseUrl() + path)).method(method, content)
                .header("Authorization", "Bearer " + token).header("transactionId", "t-" + REQUESTS.incrementAndGet())
                .header("Content-Type", "application/json").build();
        try {
            return HTTP.send(request, BodyHandlers.ofString()).statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    static int listGroups(Bank bank) throws InterruptedException {
        return listGroups(bank, "demo-token");
    }

    static int listGroups(Bank bank, String token) throws InterruptedException {
        return ask(bank, "GET", GROUPS, null, token);
    }

    static int createGroup(Bank bank, String name) throws InterruptedException {
        return ask(bank, "POST", GROUPS, Map.of("groupName", name), "demo-token");
    }
}
