import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * An app that knows its bank by name. Run by TestFixedHost: java Client.java VERSION FILE sends the requests of the file,
 * and prints the status and the HTTP version of each answer.
 */
public class Client {
    static final String BANK = "https://api.bank.example";

    public static void main(String[] args) throws Exception {
        var version = args[0].equals("2") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
        var client = HttpClient.newBuilder().version(version).build();
        for (var line : Files.readAllLines(Path.of(args[1]))) {
            var fields = line.split("\t");
            var body = fields[2].equals("-") ? BodyPublishers.noBody()
                : fields[2].startsWith("@") ? BodyPublishers.ofFile(Path.of(fields[2].substring(1)))
                : BodyPublishers.ofString(fields[2]);
            var request = HttpRequest.newBuilder(URI.create(BANK + fields[1])).timeout(Duration.ofSeconds(10)).method(fields[0], body);
            for (var i = 3; i < fields.length; i++) {
                var header = fields[i].split(": ");
                request.header(header[0], header[1]);
            }
            var answer = client.send(request.build(), BodyHandlers.discarding());
            System.out.println(answer.statusCode() + " " + (answer.version() == HttpClient.Version.HTTP_2 ? "2" : "1.1"));
        }
    }
}
