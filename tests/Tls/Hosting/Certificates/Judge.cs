namespace Ioxide.Tls.Tests;

/// <summary>Who decides about a client's certificate, and how.</summary>
internal enum Judge
{
    /// <summary>Kestrel, by the errors.</summary>
    Nobody,

    /// <summary>Kestrel, with the roots of the certificate's context, which are named to clients.</summary>
    Trust,

    /// <summary>The validation accepts everything.</summary>
    Accepts,

    /// <summary>The validation accepts nothing.</summary>
    Refuses,

    /// <summary>The validation throws.</summary>
    Throws,

    /// <summary>The validation decides by the errors, once other clients were served.</summary>
    Slow,

    /// <summary>The validation accepts everything, and the chain is read again where the request is served.</summary>
    Keeps,

    /// <summary>A callback that <c>OnAuthenticate</c> sets, where Kestrel's mode asks for no certificate.</summary>
    OnAuthenticate,

    /// <summary>The validation, and a callback of <c>OnAuthenticate</c> beside it, which SslStream does not allow.</summary>
    Two,

    /// <summary>An asynchronous callback gives the options of each handshake, and a validation of its own.</summary>
    Callback,

    /// <summary>It throws.</summary>
    ThrowingCallback,
}
