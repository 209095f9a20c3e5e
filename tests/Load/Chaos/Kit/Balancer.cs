using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Chaos;

/// <summary>HAProxy with <c>deploy/haproxy.cfg</c> in front of two hosts, on a free loopback port; skipped where it is not installed.</summary>
internal sealed class Balancer : IAsyncDisposable
{
    internal const string First = "one";
    internal const string Second = "two";

    private const int SocketLevel = 1; // SOL_SOCKET
    private const int ReusePort = 15; // SO_REUSEPORT
    // Fields of "show stat". Source: HAProxy's management guide, section 9.1.
    private const int ConnectErrorsField = 13;
    private const int ResponseErrorsField = 14;
    private const int StatusField = 17;
    private const int CheckField = 36;
    private const int ServerAbortsField = 50;

    private static readonly string[] s_programs = ["/usr/sbin/haproxy", "/usr/bin/haproxy", "/usr/local/sbin/haproxy"];

    private readonly HostProcess _process;
    private readonly Socket _portHolder;
    private readonly DirectoryInfo _work;

    private Balancer(HostProcess process, Socket portHolder, DirectoryInfo work)
    {
        _portHolder = portHolder;
        _work = work;
        _process = process;
    }

    /// <summary>Where clients connect.</summary>
    internal IPEndPoint EndPoint => (IPEndPoint)_portHolder.LocalEndPoint!;

    private string AdminPath => AdminPathIn(_work);

    /// <summary>Starts it and waits until both instances are up.</summary>
    /// <param name="first">Where the first one takes PROXY protocol headers.</param>
    /// <param name="second">Where the second one does.</param>
    internal static async Task<Balancer> StartAsync(IPEndPoint first, IPEndPoint second)
    {
        string? program = s_programs.FirstOrDefault(File.Exists);
        Assert.SkipWhen(program is null, "HAProxy is not installed.");
        DirectoryInfo work = Directory.CreateTempSubdirectory("ioxide-haproxy-");

        // The port stays this process's, which does not listen, so that nobody else is given it.
        var holder = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        holder.SetRawSocketOption(SocketLevel, ReusePort, BitConverter.GetBytes(1));
        holder.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        HostProcess process = HostProcess.StartCommand(
            [program!, "-db", "-f", Path.Combine(Repository.Root, "deploy/haproxy.cfg")],
            ("IOXIDE_BIND", $"{holder.LocalEndPoint}"),
            ("IOXIDE_SERVER_1", $"{first}"),
            ("IOXIDE_SERVER_2", $"{second}"),
            ("IOXIDE_ADMIN", AdminPathIn(work)));
        var balancer = new Balancer(process, holder, work);
        try
        {
            await Waits.Eventually(() => File.Exists(balancer.AdminPath) || balancer._process.HasExited, 60.Seconds(), "HAProxy has begun");
            await balancer.WaitAsync(First, "UP");
            await balancer.WaitAsync(Second, "UP");
            return balancer;
        }
        catch
        {
            balancer.End();
            throw;
        }
    }

    /// <summary>Waits until it holds an instance for up or down.</summary>
    internal async Task WaitAsync(string instance, string status)
    {
        try
        {
            await Waits.Eventually(() => StatusOf(instance) == status, 60.Seconds(), $"{instance} is {status}");
        }
        catch (TimeoutException exception)
        {
            Assert.Fail($"{exception.Message}\n{_process.Output}");
        }
    }

    /// <summary>Connections to an instance that failed, answers that did, and connections that it ended too early.</summary>
    internal int ErrorsOf(string instance)
    {
        string[] fields = FieldsOf(instance);
        return new[] { ConnectErrorsField, ResponseErrorsField, ServerAbortsField }
            .Sum(field => int.Parse(fields[field], CultureInfo.InvariantCulture));
    }

    public ValueTask DisposeAsync()
    {
        bool hasEnded = _process.HasExited;
        End();
        Assert.False(hasEnded, $"HAProxy has ended by itself.\n{_process.Output}");
        return ValueTask.CompletedTask;
    }

    private static string AdminPathIn(DirectoryInfo work) => Path.Combine(work.FullName, "admin.sock");

    /// <summary>What HAProxy says of an instance: "UP", "DOWN", and how far it is between the two.</summary>
    private string StatusOf(string instance)
    {
        string[] fields = FieldsOf(instance);

        // It takes an instance for up before it has looked at it.
        return fields[StatusField] != "UP" || fields[CheckField].Contains("L7OK", StringComparison.Ordinal) ? fields[StatusField] : "";
    }

    private string[] FieldsOf(string instance)
    {
        Assert.False(_process.HasExited, $"HAProxy has ended.\n{_process.Output}");
        return Ask("show stat").Split('\n').First(line => line.StartsWith($"instances,{instance},", StringComparison.Ordinal)).Split(',');
    }

    private string Ask(string command)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.ReceiveTimeout = Peer.PatienceMs;
        socket.Connect(new UnixDomainSocketEndPoint(AdminPath));
        socket.Send(Encoding.ASCII.GetBytes($"{command}\n"));
        using var reader = new StreamReader(new NetworkStream(socket));
        return reader.ReadToEnd();
    }

    private void End()
    {
        _process.Kill();
        _portHolder.Dispose();
        _work.Delete(recursive: true);
    }
}
