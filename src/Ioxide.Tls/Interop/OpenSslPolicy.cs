namespace Ioxide.Tls;

/// <summary>What OpenSSL's configuration says of TLS, read off a new context, to which OpenSSL has applied it.</summary>
/// <remarks>Source: config(5), SSL_CONF_cmd(3), section <c>system_default</c>. It is read once a process by OpenSSL. Threads: any.</remarks>
internal sealed unsafe class OpenSslPolicy
{
    // Each certificate of an endpoint asks for it, on a reactor. A failure is not kept.
    private static readonly Lazy<OpenSslPolicy> s_current = new(Read, LazyThreadSafetyMode.PublicationOnly);

    private readonly long _oldest;
    private readonly long _newest;
    private readonly ulong _options;
    private readonly int _securityLevel;
    private readonly bool _isFips;

    private OpenSslPolicy(nint context)
    {
        _oldest = LibSsl.ControlContext(context, LibSsl.ControlGetMinVersion, 0, null);
        _newest = LibSsl.ControlContext(context, LibSsl.ControlGetMaxVersion, 0, null);
        _options = LibSsl.GetOptions(context);
        _securityLevel = LibSsl.GetSecurityLevel(context);
        _isFips = LibCrypto.RequiresFips(0) == 1;
        ushort[] all = ReadSuites(context);
        Suites = [.. all.Select(static suite => (TlsCipherSuite)suite).Where(RecordSuite.Supported.Contains)];
        LeftOutCount = all.Length - Suites.Count;

        // As .NET finds out whether there is a CipherString: another list behind the configuration than before it. The list before must not
        // be the configuration's by chance, so there are two to begin with.
        fixed (byte* everything = "ALL\0"u8, other = "RSA\0"u8, section = "system_default\0"u8)
        {
            int before = CountSuites(context, everything);
            before = before == all.Length ? CountSuites(context, other) : before;
            NamesSuites12 = before != all.Length && before > 0 && LibSsl.Configure(context, section) == 1 && ReadSuites(context).Length != before;
        }

        ushort[] standard = LibSsl.SetCiphers13(context, LibSsl.DefaultCiphers13()) == 1 ? ReadSuites(context) : [];
        NamesSuites13 = !standard.Where(IsTls13).SequenceEqual(all.Where(IsTls13));
        LibCrypto.ClearErrors();
    }

    /// <summary>The file that it comes from.</summary>
    internal static string FileName
    {
        get
        {
            byte* name = LibCrypto.DefaultConfigurationFile();
            string text = Marshal.PtrToStringUTF8((nint)name) ?? "its configuration";
            LibCrypto.Release(name, null, 0);
            return text;
        }
    }

    /// <summary>The suites that are supported here, in its order.</summary>
    internal IReadOnlyList<TlsCipherSuite> Suites { get; }

    /// <summary>How many of its suites are not supported here.</summary>
    internal int LeftOutCount { get; }

    /// <summary>It has a CipherString, which is about TLS 1.2.</summary>
    internal bool NamesSuites12 { get; }

    /// <summary>It has Ciphersuites, which are about TLS 1.3.</summary>
    internal bool NamesSuites13 { get; }

    internal bool HasSuites => NamesSuites12 || NamesSuites13;

    /// <summary>It limits the versions.</summary>
    internal bool HasVersions => _oldest != 0 || _newest != 0 || IsOff(RecordHeader.Version12) || IsOff(RecordHeader.Version13);

    /// <summary>The process's.</summary>
    /// <exception cref="TlsException">OpenSSL makes no context: its configuration is wrong.</exception>
    internal static OpenSslPolicy Current => s_current.Value;

    /// <summary>Whether a version is served where no option names one.</summary>
    internal bool Allows(int version) => (_oldest == 0 || version >= _oldest) && (_newest == 0 || version <= _newest) && !IsOff(version);

    /// <summary>Whether a version is switched off (<c>Protocol = -TLSv1.3</c>), also where an application names it.</summary>
    internal bool IsOff(int version) => (_options & (version == RecordHeader.Version13 ? LibSsl.OptionNoTls13 : LibSsl.OptionNoTls12)) != 0;

    public override string ToString()
        => $"security level {_securityLevel}{(_isFips ? ", FIPS" : "")}, OpenSSL {OpenSslLibrary.LoadedVersion} with {FileName}";

    private static OpenSslPolicy Read()
    {
        LibCrypto.ClearErrors();
        nint context = LibSsl.NewContext(LibSsl.ServerMethod());
        if (context == 0)
        {
            string errors = OpenSslErrors.Take().Text;
            throw new TlsException(
                TlsFailure.Unavailable, $"OpenSSL makes no TLS context with {FileName}: {errors}. Correct the file, or set OPENSSL_CONF to another.");
        }

        try
        {
            return new OpenSslPolicy(context);
        }
        finally
        {
            LibSsl.FreeContext(context);
        }
    }

    private static bool IsTls13(ushort suite) => suite >> 8 == 0x13;

    private static int CountSuites(nint context, byte* list) => LibSsl.SetCiphers12(context, list) == 1 ? ReadSuites(context).Length : 0;

    private static ushort[] ReadSuites(nint context)
    {
        nint stack = LibSsl.GetCiphers(context);
        ushort[] suites = new ushort[stack == 0 ? 0 : LibCrypto.StackCount(stack)];
        for (int index = 0; index < suites.Length; index++)
        {
            suites[index] = LibSsl.SuiteOf(LibCrypto.StackItem(stack, index));
        }

        return suites;
    }
}
