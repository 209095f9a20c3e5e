namespace Ioxide.Files;

/// <summary>How a request for a known file is answered.</summary>
internal enum FileOutcome
{
    /// <summary>200 with the whole representation.</summary>
    Whole,

    /// <summary>304.</summary>
    NotModified,

    /// <summary>206 with one range.</summary>
    Part,

    /// <summary>206 with several ranges, <c>multipart/byteranges</c>.</summary>
    Parts,

    /// <summary>412.</summary>
    PreconditionFailed,

    /// <summary>416.</summary>
    Unsatisfiable,

    /// <summary>406: the client refuses every coding that there is.</summary>
    NotAcceptable,
}
