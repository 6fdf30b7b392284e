import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/** A server in memory that speaks MongoDB's protocol. Arguments: the port (0: any free one). */
public class Main {
    // The driver refuses wire versions below 9; the commands it then sends are all known to the server.
    private static final MongoVersion VERSION = new MongoVersion() {
        public List<Integer> getVersionArray() {
            return List.of(5, 0, 0);
        }

        public int getWireVersion() {
            return 13;
        }
    };

    public static void main(String[] arguments) {
        MongoServer server = new MongoServer(new MemoryBackend().version(VERSION));
        server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
        System.out.println("listening " + server.getLocalAddress().getPort());
    }
}
