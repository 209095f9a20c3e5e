using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tls;

/// <summary>Asks the kernel, before anything is served, whether it can do what <see cref="TlsKernelOffload.Require"/> promises.</summary>
internal static class KernelTlsCheck
{
    internal const string LoadModule = "Load its module on the host (modprobe tls; a container cannot), or set KernelOffload to";

    /// <exception cref="TlsException">The kernel's TLS is required, and it has none, or none for one of the suites.</exception>
    internal static void ThrowIfRequiredAndAbsent(
        TlsKernelOffload offload, Func<RecordSuite, KernelTlsAnswer> ask, IEnumerable<TlsCipherSuite> suites)
    {
        if (offload != TlsKernelOffload.Require)
        {
            return;
        }

        foreach (RecordSuite suite in suites.Select(RecordSuite.Of))
        {
            if (ask(suite) is { Error: not 0 } answer)
            {
                throw new TlsException(TlsFailure.KernelTls, Explain(suite, answer));
            }
        }
    }

    /// <summary>
    /// Suites that no option names: where the kernel's TLS is required, those that it has. A kernel may come without a cipher's modules. All
    /// of them where it has none, so that the start fails and says so.
    /// </summary>
    internal static IEnumerable<TlsCipherSuite> KeepSupported(
        TlsKernelOffload offload, Func<RecordSuite, KernelTlsAnswer> ask, IEnumerable<TlsCipherSuite> suites)
    {
        TlsCipherSuite[] all = [.. suites];
        TlsCipherSuite[] kept = offload != TlsKernelOffload.Require
            ? all
            : [.. all.Where(suite => ask(RecordSuite.Of(suite)).Error == 0)];
        return kept.Length > 0 ? kept : all;
    }

    /// <summary>Gives a socket of its own a key of that suite. Nothing is sent.</summary>
    internal static KernelTlsAnswer Ask(RecordSuite suite) => Ask(suite, keyCount: 1);

    /// <summary>Gives a socket of its own so many keys of that suite, one after another. Nothing is sent.</summary>
    internal static KernelTlsAnswer Ask(RecordSuite suite, int keyCount)
    {
        // It stays open: a listener that closes resets what it has not accepted, and a socket that was reset takes no keys.
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        client.Connect(listener.LocalEndPoint!);

        // Socket's own call would give the number of another error: .NET has none for ENOENT.
        int error = SetOption(client, SocketConstants.LevelTcp, SocketConstants.OptionUpperLayer, "tls"u8);
        bool hasTls = error == 0;
        for (int count = 0; count < keyCount && error == 0; count++)
        {
            error = SetOption(client, SocketConstants.LevelTls, SocketConstants.TlsTransmit, MakeInfo(suite));
        }

        return new KernelTlsAnswer(hasTls, error);
    }

    private static unsafe int SetOption(Socket socket, int level, int option, ReadOnlySpan<byte> value)
    {
        fixed (byte* bytes = value)
        {
            return -Kernel.Linux.SetSocketOption((int)socket.Handle, level, option, bytes, (uint)value.Length);
        }
    }

    private static byte[] MakeInfo(RecordSuite suite)
    {
        // Nothing is encrypted with it, so zeros will do.
        ReadOnlySpan<byte> zeros = stackalloc byte[RecordKeys.MaxSecretBytes];
        byte[] info = new byte[KernelTls.MaxInfoBytes];
        (RecordKeys keys, RecordKeys? other) = suite.IsTls13
            ? (RecordKeys.FromSecret(suite, zeros), null)
            : RecordKeys.FromMaster(suite, zeros, zeros[..32], zeros[..32]);
        using (keys)
        using (other)
        {
            return info[..KernelTls.Write(keys, 0, info)];
        }
    }

    private static string Explain(RecordSuite suite, KernelTlsAnswer answer)
        => !answer.HasTls
            ? $"KernelOffload is Require, but this kernel has no TLS: setsockopt(TCP_ULP, \"tls\") "
                + $"gives {Errno.Name(answer.Error)}. {LoadModule} Auto."
            : $"KernelOffload is Require, but this kernel's TLS does not support {suite.Id}: setsockopt(TLS_TX) gives "
                + $"{Errno.Name(answer.Error)}. Remove the suite from CipherSuitesPolicy, or set KernelOffload to Auto.";
}
