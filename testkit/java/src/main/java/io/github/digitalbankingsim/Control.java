package io.github.digitalbankingsim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;

/** The control API of a simulator. */
final class Control {
    private static final Duration CALL_LIMIT = Duration.ofSeconds(10);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(2); // of a call that waits for requests
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY) // no proxy reaches a simulator that runs for a test
            .build();

    private final String url;
    private final String token; // or "" for none

    Control(String url, String token) {
        this.url = url;
        this.token = token;
    }

    String url() {
        return url;
    }

    /** Makes a call. It returns the JSON of the answer, a text node for text, or a missing node for an empty answer. */
    JsonNode call(String method, String path, Object body) throws IOException {
        var json = body == null ? null : Json.tree(body);
        var limit = json != null && json.has("within") ? CALL_LIMIT.plus(LONGEST_WAIT) : CALL_LIMIT;
        var content = json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json.toString());
        try {
            var answer = HTTP.send(request(method, path, content).timeout(limit).build(), BodyHandlers.ofString());
            var isJson = answer.headers().firstValue("Content-Type").orElse("").contains("json");
            if (answer.statusCode() >= 300) throw refusal(answer, isJson);
            return isJson || answer.body().isEmpty() ? Json.read(answer.body()) : TextNode.valueOf(answer.body());
        } catch (HttpTimeoutException e) {
            throw new IOException("no answer within " + Json.duration(limit), e);
        } catch (InterruptedException e) {
            throw BankException.interrupted(e);
        }
    }

    /** Keeps the simulator running until the answer is closed, or this process ends. */
    HttpResponse<InputStream> keepAlive() throws IOException, InterruptedException {
        var request = request("POST", "/v1/keepalive?linger=0s", BodyPublishers.noBody()).timeout(CALL_LIMIT).build();
        var answer = HTTP.send(request, BodyHandlers.ofInputStream());
        var status = answer.statusCode();
        if (status != 200) throw new IOException("it has answered " + status + " for a keepalive");
        return answer;
    }

    private HttpRequest.Builder request(String method, String path, BodyPublisher content) {
        var request = HttpRequest.newBuilder(URI.create(url + path)).method(method, content);
        return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    }

    /** Returns what is wrong with a call, by the problem document that answered it. */
    private BankException refusal(HttpResponse<String> answer, boolean isJson) {
        var status = answer.statusCode();
        if (status == 401) {
            return new BankException("the simulator wants another control token: set BANKSIM_CONTROL_TOKEN", status);
        }
        var problem = isJson ? Json.read(answer.body()) : null;
        if (problem == null || !problem.has("detail")) {
            return new BankException(url + " answers " + status + ", and not as a control API does: check "
                    + "BANKSIM_CONTROL", status);
        }
        var text = new StringBuilder(problem.get("detail").asText());
        for (var defect : problem.path("problems")) {
            text.append("\n\t");
            var file = defect.path("file").asText();
            if (file.endsWith(".yaml")) {
                text.append(file).append(':').append(defect.path("line").asInt()).append(':')
                        .append(defect.path("column").asInt()).append(": ");
            }
            text.append(defect.path("message").asText());
        }
        return new BankException(text.toString(), status);
    }
}
