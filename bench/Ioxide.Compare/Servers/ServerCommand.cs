using System.Globalization;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Ioxide.LoadHost;

namespace Ioxide.Compare.Servers;

/// <summary>How the program of a side is started.</summary>
internal sealed record ServerCommand(string Program, IReadOnlyList<string> Arguments)
{
    /// <param name="upstreamPort">What the application calls, where the workload needs that; else 0.</param>
    internal static ServerCommand Create(
        Side side, Workload workload, ServerPorts ports, int upstreamPort, Layout layout, CompareOptions options)
    {
        string port = ports.Http.ToString(CultureInfo.InvariantCulture);
        switch (side.Program)
        {
            case SideProgram.LoadHost:
                List<string> arguments = ["--transport", side.Transport, "--port", port];
                if (side.UsesRing && options.ReactorCount > 0)
                {
                    arguments.AddRange(["--reactors", options.ReactorCount.ToString(CultureInfo.InvariantCulture)]);
                }

                if (workload.Endpoint == WorkloadEndpoint.Https)
                {
                    arguments.Add("--https");
                }

                if (workload.Endpoint == WorkloadEndpoint.Http2)
                {
                    arguments.Add("--h2");
                }

                if (upstreamPort != 0)
                {
                    arguments.AddRange(["--upstream", $"http://127.0.0.1:{upstreamPort}/"]);
                }

                if (workload.NeedsDatabase)
                {
                    arguments.AddRange(["--database", options.Database!]); // Program refuses such a workload without one.
                }

                if (workload.NeedsFiles)
                {
                    arguments.AddRange(["--files", layout.FilesFolder]);
                }

                arguments.AddRange(workload.HostArguments);
                arguments.AddRange(side.Arguments);
                return new ServerCommand(layout.Program("Ioxide.LoadHost", side.Folder), arguments);

            case SideProgram.Echo:
                int reactorCount = Math.Max(1, options.ReactorCount);
                return new ServerCommand(
                    layout.Program("Echo", side.Folder),
                    ["--http", "--port", port, "--reactors", reactorCount.ToString(CultureInfo.InvariantCulture)]);

            case SideProgram.SocketServer:
                return new ServerCommand(layout.Program("SocketServer", side.Folder), [port]);

            case SideProgram.Liburing:
                return new ServerCommand(layout.Liburing, [port]);

            default:
                return new ServerCommand("nginx", ["-c", WriteNginxConfiguration(layout, workload, ports)]);
        }
    }

    private static string WriteNginxConfiguration(Layout layout, Workload workload, ServerPorts ports)
    {
        string port = ports.Http.ToString(CultureInfo.InvariantCulture);
        string prefix = Path.Combine(layout.ResultsFolder, $"nginx-{port}");
        Directory.CreateDirectory(prefix);
        string path = Path.Combine(prefix, "nginx.conf");
        File.WriteAllText(path, File.ReadAllText(workload.NeedsFiles ? layout.NginxFilesTemplate : layout.NginxTemplate)
            .Replace("@TLS@", workload.Endpoint == WorkloadEndpoint.Https ? WriteNginxCertificate(prefix, ports) : "", StringComparison.Ordinal)
            .Replace("@PORT@", port, StringComparison.Ordinal)
            .Replace("@FILES@", layout.FilesFolder, StringComparison.Ordinal)
            .Replace("@PREFIX@", prefix, StringComparison.Ordinal));
        return path;
    }

    /// <summary>Writes a certificate and its key. Returns the directives of the endpoint that has them.</summary>
    private static string WriteNginxCertificate(string prefix, ServerPorts ports)
    {
        string certificatePath = Path.Combine(prefix, "certificate.pem");
        string keyPath = Path.Combine(prefix, "key.pem");
        using X509Certificate2 certificate = LoadCertificate.Create();
        using ECDsa key = certificate.GetECDsaPrivateKey()!;
        File.WriteAllText(certificatePath, certificate.ExportCertificatePem());
        File.WriteAllText(keyPath, key.ExportPkcs8PrivateKeyPem());
        return string.Create(CultureInfo.InvariantCulture, $"""
            listen 127.0.0.1:{ports.Https} ssl backlog=4096;
            ssl_certificate {certificatePath};
            ssl_certificate_key {keyPath};
            ssl_protocols TLSv1.2 TLSv1.3;
            """);
    }
}
