using System.Globalization;
using System.Net;
using Ioxide.Tls;

namespace Ioxide.LoadHost;

/// <summary>What the command line asks of the load host.</summary>
internal sealed class LoadHostOptions
{
    internal const string Usage =
        """
        Ioxide.LoadHost --transport sockets|sockets-inline|sockets-inline-ic|ioxide|epoll [options]
          --port N         cleartext HTTP/1.1 port, 5000 unless told
          --address IP     address to listen on, 127.0.0.1 unless told
          --reactors N     reactors of the ioxide transport, 0 (one a CPU) unless told
          --https          HTTPS on the next port, with a certificate made at start
          --ioxide-tls     that HTTPS by Ioxide.Tls instead of SslStream
          --kernel-tls HOW Never|Auto|Require, Auto unless told: who encrypts with --ioxide-tls
          --h2             cleartext HTTP/2 (prior knowledge) on the port after that
          --ioxide-h2      HTTP/2 by Ioxide.Http2 instead of Kestrel, on both ports
          --pool           handlers on the thread pool, on ioxide too
          --upstream URL   what /http calls, and YARP forwards /proxy to
          --ring-client    those connections on the rings too; without rings by sockets
          --database TEXT  connection string for /async-db and /crud: Ioxide.Pg on ioxide, Npgsql on sockets
          --files FOLDER   static files at /
          --files-by HOW   static|assets|pipeline|shortcircuit, static unless told: UseStaticFiles, MapStaticAssets,
                           MapIoxideFiles, MapIoxideFiles with ShortCircuit()
          --multiplexing   Npgsql's multiplexing instead of its plain pool
          --npgsql         Npgsql on ioxide too
          --pg-objects     rows by Ioxide.Pg as objects, written by the framework's JSON, as with Npgsql
          --middleware     behind routing: exception handler, HSTS, CORS, authentication, authorization, rate limiter, session
          --gzip           answers are compressed for those who accept it
        """;

    internal TransportChoice Transport { get; private set; }

    internal IPAddress Address { get; private set; } = IPAddress.Loopback;

    internal int Port { get; private set; } = 5000;

    internal int HttpsPort => Port + 1;

    internal int Http2Port => Port + 2;

    internal int ReactorCount { get; private set; }

    internal bool Https { get; private set; }

    /// <summary>HTTPS by Ioxide.Tls.</summary>
    internal bool IoxideTls { get; private set; }

    /// <summary>Whether the kernel encrypts what Ioxide.Tls sends.</summary>
    internal TlsKernelOffload KernelTls { get; private set; }

    internal bool Http2 { get; private set; }

    /// <summary>HTTP/2 by Ioxide.Http2.</summary>
    internal bool IoxideHttp2 { get; private set; }

    /// <summary>Handlers on the thread pool, where the other transports have them anyway.</summary>
    internal bool RunsOnPool { get; private set; }

    internal Uri? Upstream { get; private set; }

    /// <summary>Connections to the upstream by <c>UseIoxide()</c>.</summary>
    internal bool IsClientOnRing { get; private set; }

    internal string? Database { get; private set; }

    internal bool IsMultiplexing { get; private set; }

    /// <summary>Npgsql whatever the transport.</summary>
    internal bool Npgsql { get; private set; }

    /// <summary>Rows by Ioxide.Pg as objects, where they else go into the response as they come.</summary>
    internal bool HasPgObjects { get; private set; }

    internal bool UsesIoxidePg => Transport is TransportChoice.Ioxide or TransportChoice.Epoll && !Npgsql;

    /// <summary>The framework's response compression, gzip at its fastest.</summary>
    internal bool IsCompressing { get; private set; }

    /// <summary>Whether requests run through the middleware of an ordinary application.</summary>
    internal bool HasMiddleware { get; private set; }

    internal string? Files { get; private set; }

    internal FilesChoice FilesBy { get; private set; }

    /// <exception cref="ArgumentException">An argument is unknown, lacks its value or has a bad one.</exception>
    internal static LoadHostOptions Parse(string[] args)
    {
        var options = new LoadHostOptions();
        bool transportGiven = false;
        for (int i = 0; i < args.Length; i++)
        {
            switch (args[i])
            {
                case "--transport":
                    options.Transport = TransportChoices.Parse(Value(args, ref i));
                    transportGiven = true;
                    break;
                case "--address":
                    options.Address = IPAddress.TryParse(Value(args, ref i), out IPAddress? address)
                        ? address
                        : throw new ArgumentException($"--address takes an IP address, not '{args[i]}'.");
                    break;
                case "--port":
                    options.Port = Number(args, ref i);
                    break;
                case "--reactors":
                    options.ReactorCount = Number(args, ref i);
                    break;
                case "--https":
                    options.Https = true;
                    break;
                case "--ioxide-tls":
                    options.IoxideTls = true;
                    break;
                case "--kernel-tls":
                    options.KernelTls = Enum.TryParse(Value(args, ref i), out TlsKernelOffload offload)
                        ? offload
                        : throw new ArgumentException($"--kernel-tls takes Never, Auto or Require, not '{args[i]}'.");
                    break;
                case "--h2":
                    options.Http2 = true;
                    break;
                case "--ioxide-h2":
                    options.IoxideHttp2 = true;
                    break;
                case "--pool":
                    options.RunsOnPool = true;
                    break;
                case "--upstream":
                    options.Upstream = Uri.TryCreate(Value(args, ref i), UriKind.Absolute, out Uri? upstream)
                        ? upstream
                        : throw new ArgumentException($"--upstream takes an absolute URL, not '{args[i]}'.");
                    break;
                case "--ring-client":
                    options.IsClientOnRing = true;
                    break;
                case "--database":
                    options.Database = Value(args, ref i);
                    break;
                case "--files":
                    options.Files = Value(args, ref i);
                    break;
                case "--files-by":
                    options.FilesBy = Enum.TryParse(Value(args, ref i), ignoreCase: true, out FilesChoice choice)
                        ? choice
                        : throw new ArgumentException($"--files-by does not know '{args[i]}'.");
                    break;
                case "--npgsql":
                    options.Npgsql = true;
                    break;
                case "--pg-objects":
                    options.HasPgObjects = true;
                    break;
                case "--middleware":
                    options.HasMiddleware = true;
                    break;
                case "--gzip":
                    options.IsCompressing = true;
                    break;
                case "--multiplexing":
                    options.IsMultiplexing = true;
                    break;
                default:
                    throw new ArgumentException($"Unknown argument '{args[i]}'.");
            }
        }

        return transportGiven ? options : throw new ArgumentException("--transport is missing.");
    }

    private static string Value(string[] args, ref int index)
        => ++index < args.Length ? args[index] : throw new ArgumentException($"{args[index - 1]} lacks its value.");

    private static int Number(string[] args, ref int index)
        => int.TryParse(Value(args, ref index), NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? number
            : throw new ArgumentException($"{args[index - 1]} takes a number, not '{args[index]}'.");
}
