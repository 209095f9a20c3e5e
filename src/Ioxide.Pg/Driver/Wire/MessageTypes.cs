namespace Ioxide.Pg;

/// <summary>First bytes of the messages that a client sends. Source: PostgreSQL manual, 55.7 Message Formats.</summary>
internal static class FrontendMessage
{
    internal const byte Bind = (byte)'B';
    internal const byte Close = (byte)'C';
    internal const byte CopyData = (byte)'d';
    internal const byte CopyDone = (byte)'c';
    internal const byte CopyFail = (byte)'f';
    internal const byte Describe = (byte)'D';
    internal const byte Execute = (byte)'E';
    internal const byte Flush = (byte)'H';
    internal const byte Parse = (byte)'P';

    /// <summary>Also SASLInitialResponse and SASLResponse.</summary>
    internal const byte Password = (byte)'p';
    internal const byte Query = (byte)'Q';
    internal const byte Sync = (byte)'S';
    internal const byte Terminate = (byte)'X';

    /// <summary>The target of Describe and Close.</summary>
    internal const byte Statement = (byte)'S';
}

/// <summary>First bytes of the messages that a server sends. Source: PostgreSQL manual, 55.7 Message Formats.</summary>
internal static class BackendMessage
{
    internal const byte Authentication = (byte)'R';
    internal const byte BackendKeyData = (byte)'K';
    internal const byte BindComplete = (byte)'2';
    internal const byte CloseComplete = (byte)'3';
    internal const byte CommandComplete = (byte)'C';
    internal const byte CopyBothResponse = (byte)'W';
    internal const byte CopyData = (byte)'d';
    internal const byte CopyDone = (byte)'c';
    internal const byte CopyInResponse = (byte)'G';
    internal const byte CopyOutResponse = (byte)'H';
    internal const byte DataRow = (byte)'D';
    internal const byte EmptyQueryResponse = (byte)'I';
    internal const byte ErrorResponse = (byte)'E';
    internal const byte NegotiateProtocolVersion = (byte)'v';
    internal const byte NoData = (byte)'n';
    internal const byte NoticeResponse = (byte)'N';
    internal const byte NotificationResponse = (byte)'A';
    internal const byte ParameterDescription = (byte)'t';
    internal const byte ParameterStatus = (byte)'S';
    internal const byte ParseComplete = (byte)'1';
    internal const byte PortalSuspended = (byte)'s';
    internal const byte ReadyForQuery = (byte)'Z';
    internal const byte RowDescription = (byte)'T';
}
