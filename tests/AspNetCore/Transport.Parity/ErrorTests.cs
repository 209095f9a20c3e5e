using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// What goes wrong is told in the framework's exceptions: applications look into them for the inner exception's type and its
/// <see cref="SocketError"/>. Each case runs over the sockets transport and over Ioxide, and both tell the same.
/// </summary>
public class ErrorTests
{
    private const int UnprivilegedUser = 65534;

    [Theory, Each(EndPointKind.IPv4, EndPointKind.IPv6)]
    public async Task AResetIsToldToTheReaderAsOnSockets(EndPointKind endPoint)
    {
        string expected = await SeeAsync(TransportKind.Sockets, endPoint, static client => client.Reset());

        Assert.Equal(expected, await SeeAsync(TransportKind.Ioxide, endPoint, static client => client.Reset()));
        Assert.Contains("ConnectionResetException", expected, StringComparison.Ordinal);
        Assert.Contains("SocketException/ConnectionReset/", expected, StringComparison.Ordinal);
    }

    [Theory, Each(EndPointKind.IPv4, EndPointKind.Unix)]
    public async Task AnAbortOfThisSideIsToldToTheReaderAsOnSockets(EndPointKind endPoint)
    {
        string expected = await SeeAsync(TransportKind.Sockets, endPoint, end: null);

        Assert.Equal(expected, await SeeAsync(TransportKind.Ioxide, endPoint, end: null));
        Assert.Contains("ConnectionAbortedException", expected, StringComparison.Ordinal);
    }

    [Theory, Each(
        "port in use", "address that is not local", "path in a missing folder", "path below a file", "path that is a folder", "path in use",
        "path that is too long")]
    public async Task WhatCannotBeBoundIsToldAsOnSockets(string name)
    {
        string folder = Directory.CreateTempSubdirectory("ioxide-").FullName;
        await File.WriteAllTextAsync(Path.Join(folder, "file"), "");
        using Socket owner = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        owner.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        owner.Listen(1);
        Action<KestrelServerOptions> bind = name switch
        {
            "port in use" => kestrel => kestrel.Listen(owner.LocalEndPoint!),
            "address that is not local" => static kestrel => kestrel.Listen(IPAddress.Parse("192.0.2.1"), 0),
            "path in a missing folder" => kestrel => kestrel.ListenUnixSocket(Path.Join(folder, "missing", "s")),
            "path below a file" => kestrel => kestrel.ListenUnixSocket(Path.Join(folder, "file", "s")),
            "path that is a folder" => kestrel => kestrel.ListenUnixSocket(folder),
            "path in use" => kestrel => kestrel.ListenUnixSocket(Path.Join(folder, "file")),
            _ => kestrel => kestrel.ListenUnixSocket("/" + new string('a', 200)),
        };
        try
        {
            Exception stock = await FailToBindAsync(TransportKind.Sockets, bind);
            Exception ours = await FailToBindAsync(TransportKind.Ioxide, bind);

            Assert.Equal(Types(stock), Types(ours));
            // The words of the system, and what they are about besides. Where stock has but its own code's words, the error's name.
            string words = name switch
            {
                "path in a missing folder" => "missing/s: No such file or directory (ENOENT)",
                "path below a file" => "file/s: Not a directory (ENOTDIR)",
                _ => stock.GetBaseException().Message,
            };
            Assert.Contains(words, ours.GetBaseException().Message, StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task APortThatOnlyRootMayBindIsToldAsOnSockets()
    {
        Assert.SkipUnless(
            Environment.IsPrivilegedProcess && File.Exists("/usr/bin/setpriv"), "Another user can only be set by root, with setpriv (util-linux).");
        string text = await File.ReadAllTextAsync("/proc/sys/net/ipv4/ip_unprivileged_port_start");
        int first = int.Parse(text, System.Globalization.CultureInfo.InvariantCulture);
        Assert.SkipUnless(first > 1, "Every user may bind every port here.");
        string user = UnprivilegedUser.ToString(System.Globalization.CultureInfo.InvariantCulture);
        string[] command = ["setpriv", $"--reuid={user}", $"--regid={user}", "--clear-groups"];
        await using HostProcess sockets = BlockedHost.StartUnder(command, "--port", "1", "--sockets");
        Assert.Equal(1, await sockets.ExitAsync());
        Assert.Contains("System.Net.Sockets.SocketException (13): Permission denied", sockets.Output, StringComparison.Ordinal);

        await using HostProcess host = BlockedHost.StartUnder(command, "--port", "1");
        Assert.Equal(1, await host.ExitAsync());
        Assert.Contains(
            $"Could not bind 127.0.0.1:1: Permission denied (EACCES), because ports below {first} need the capability CAP_NET_BIND_SERVICE. ",
            host.Output, StringComparison.Ordinal);
    }

    /// <summary>What a handler sees that reads until it cannot, and writes then.</summary>
    private static async Task<string> SeeAsync(TransportKind transport, EndPointKind endPoint, Action<RawClient>? end)
    {
        TaskCompletionSource<string> seen = Waits.Signal<string>();
        await using TestServer server = await TestServer.StartAsync(new(transport, endPoint)
        {
            Listen = listen => listen.Use(_ => async connection => seen.SetResult(await ReadAsync(connection, aborts: end is null))),
        });
        using RawClient client = await server.ConnectAsync();
        await client.SendAsync("x");
        if (end is not null)
        {
            Assert.Equal("x", Encoding.ASCII.GetString(await client.ReadExactlyAsync(1)));
            end(client);
        }

        return await seen.Task.Within(20.Seconds());
    }

    private static async Task<string> ReadAsync(ConnectionContext connection, bool aborts)
    {
        PipeReader input = connection.Transport.Input;
        input.AdvanceTo((await input.ReadAsync()).Buffer.End);
        await connection.Transport.Output.WriteAsync("x"u8.ToArray());
        if (aborts)
        {
            connection.Abort(new ConnectionAbortedException("on purpose"));
        }

        string read = await TellAsync(async () => $"{(await input.ReadAsync()).IsCompleted}");
        string again = await TellAsync(async () => $"{(await input.ReadAsync()).IsCompleted}");
        await WaitForEndAsync(connection);

        // Whether the writer knows of the end by now is a matter of time on sockets; that it does not throw is not.
        string written = await TellAsync(async () =>
        {
            await connection.Transport.Output.WriteAsync("y"u8.ToArray());
            return "taken";
        });
        return $"read {read}; again {again}; write {written}";
    }

    private static async Task WaitForEndAsync(ConnectionContext connection)
    {
        TaskCompletionSource closed = Waits.Signal();
        await using CancellationTokenRegistration registration = connection.ConnectionClosed.Register(closed.SetResult);
        await closed.Task.Within(20.Seconds());
    }

    private static async Task<string> TellAsync(Func<Task<string>> action)
    {
        try
        {
            return await action().Within(20.Seconds());
        }
        catch (Exception exception) when (exception is not Xunit.Sdk.XunitException)
        {
            return $"{Types(exception)} '{exception.Message}'";
        }
    }

    private static async Task<Exception> FailToBindAsync(TransportKind transport, Action<KestrelServerOptions> bind)
        => await Assert.ThrowsAnyAsync<Exception>(() => TestServer.StartAsync(new(transport) { Bind = bind, Handler = Handlers.PathAsync }));

    /// <summary>The types of an exception and of those inside it that a catch can name, with codes and numbers of sockets.</summary>
    private static string Types(Exception exception)
    {
        var types = new StringBuilder();
        for (Exception? current = exception; current is not null; current = current.InnerException)
        {
            types.Append(types.Length == 0 ? "" : " > ").Append((current.GetType().IsPublic ? current.GetType() : current.GetType().BaseType!).Name);
            if (current is SocketException socket)
            {
                types.Append(System.Globalization.CultureInfo.InvariantCulture, $"/{socket.SocketErrorCode}/{socket.NativeErrorCode}");
            }
        }

        return types.ToString();
    }
}
