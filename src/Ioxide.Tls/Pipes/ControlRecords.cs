namespace Ioxide.Tls;

/// <summary>What a session does about records that carry no data: alerts, KeyUpdate, tickets, attempts to renegotiate.</summary>
/// <remarks>Source: RFC 8446, sections 4.6 and 6; RFC 5246, section 7.4.1.1. Threads: the reader's.</remarks>
internal sealed class ControlRecords(IControlTarget target, bool isServer)
{
    private const int AlertBytes = 2;
    private const int MessageHeadBytes = 4;
    private const int MaxMessageBytes = 64 * 1024;

    // A peer that only sends these makes work without end.
    private const int MaxInARow = 64;

    // Each is answered, also to a peer that does not read.
    private const int MaxRenegotiations = 4;

    private byte[] _message = [];
    private int _messageBytes;
    private int _inARow;
    private int _renegotiations;

    private enum MessageType : byte
    {
        HelloRequest = 0,
        ClientHello = 1,
        NewSessionTicket = 4,
        KeyUpdate = 24,
    }

    /// <summary>A record of data came.</summary>
    internal void NoteData(int lengthBytes)
    {
        if (_messageBytes > 0)
        {
            throw Unexpected("data inside a handshake message");
        }

        if (lengthBytes > 0)
        {
            _inARow = 0;
        }
        else
        {
            CountInARow();
        }
    }

    /// <summary>Handles one record. True where the peer will send nothing more.</summary>
    internal bool Handle(RecordType type, ReadOnlySpan<byte> content, RecordOpener opener)
    {
        CountInARow();
        if (type != RecordType.Handshake && _messageBytes > 0 && opener.Suite.IsTls13)
        {
            throw Unexpected($"a record of type {type} inside a handshake message");
        }

        if (content.IsEmpty)
        {
            throw Unexpected($"an empty record of type {type}");
        }

        switch (type)
        {
            case RecordType.Alert:
                return HandleAlert(content, opener.Suite.IsTls13);
            case RecordType.Handshake:
                HandleHandshake(content, opener);
                return false;
            default:
                throw Unexpected($"a record of type {type}");
        }
    }

    private static bool HandleAlert(ReadOnlySpan<byte> content, bool isTls13)
    {
        if (content.Length != AlertBytes)
        {
            throw new TlsException(TlsFailure.Protocol, "The peer sent a broken alert.", TlsAlert.DecodeError);
        }

        var alert = (TlsAlert)content[1];
        if (alert == TlsAlert.CloseNotify)
        {
            return true;
        }

        // TLS 1.3 has no other alert that a session survives, and no meaning for the level (RFC 8446, section 6).
        if (isTls13 ? alert == TlsAlert.UserCanceled : content[0] == UserSending.Warning)
        {
            return false;
        }

        if (!isTls13 && content[0] != UserSending.Fatal)
        {
            throw new TlsException(TlsFailure.Protocol, $"The peer sent an alert of level {content[0]}.", TlsAlert.IllegalParameter);
        }

        throw new TlsException(TlsFailure.PeerAlert, $"The peer ended the session: {alert}.", alert);
    }

    private void HandleHandshake(ReadOnlySpan<byte> content, RecordOpener opener)
    {
        Append(content);
        int start = 0;
        while (_messageBytes - start >= MessageHeadBytes)
        {
            ReadOnlySpan<byte> rest = _message.AsSpan(start, _messageBytes - start);
            int lengthBytes = (int)(BinaryPrimitives.ReadUInt32BigEndian(rest) & 0xFF_FFFF);
            CheckHead((MessageType)rest[0], lengthBytes, opener.Suite.IsTls13);

            if (rest.Length < MessageHeadBytes + lengthBytes)
            {
                break;
            }

            start += MessageHeadBytes + lengthBytes;
            HandleMessage((MessageType)rest[0], rest.Slice(MessageHeadBytes, lengthBytes), isLast: start == _messageBytes, opener);
        }

        _message.AsSpan(start, _messageBytes - start).CopyTo(_message);
        _messageBytes -= start;
        if (_messageBytes == 0)
        {
            _message = [];
        }
    }

    /// <summary>Refuses what can never be taken before its body is collected.</summary>
    private void CheckHead(MessageType type, int lengthBytes, bool isTls13)
    {
        const int KeyUpdateBytes = 1;
        bool isAllowed = type switch
        {
            MessageType.KeyUpdate => isTls13,
            MessageType.NewSessionTicket => isTls13 && !isServer,
            MessageType.ClientHello => !isTls13 && isServer,
            MessageType.HelloRequest => !isTls13 && !isServer,
            _ => false,
        };
        if (!isAllowed)
        {
            throw Unexpected($"a handshake message of type {(byte)type}");
        }

        if (lengthBytes > MaxMessageBytes - MessageHeadBytes || (type == MessageType.KeyUpdate && lengthBytes != KeyUpdateBytes))
        {
            throw new TlsException(
                TlsFailure.Protocol, $"The peer sent a handshake message of type {(byte)type} and {lengthBytes} bytes.", TlsAlert.DecodeError);
        }
    }

    private void HandleMessage(MessageType type, ReadOnlySpan<byte> body, bool isLast, RecordOpener opener)
    {
        switch (type)
        {
            case MessageType.KeyUpdate:
                if (body[0] > 1)
                {
                    throw new TlsException(TlsFailure.Protocol, "The peer sent a broken KeyUpdate.", TlsAlert.IllegalParameter);
                }

                if (!isLast)
                {
                    // It is protected with the keys before (RFC 8446, section 5.1).
                    throw Unexpected("more behind a KeyUpdate in its record");
                }

                opener.Update();
                target.NotePeerKeyUpdate(isAnswerRequested: body[0] == 1);
                break;
            case MessageType.ClientHello or MessageType.HelloRequest:
                if (++_renegotiations > MaxRenegotiations)
                {
                    throw Unexpected($"more than {MaxRenegotiations} attempts to renegotiate");
                }

                target.RefuseRenegotiation();
                break;
            default:
                // A ticket: clients do not resume.
                break;
        }
    }

    private void Append(ReadOnlySpan<byte> content)
    {
        int lengthBytes = _messageBytes + content.Length;
        Debug.Assert(lengthBytes <= MaxMessageBytes + RecordHeader.MaxPlaintext, "the head of a longer message was refused");
        if (_message.Length < lengthBytes)
        {
            Array.Resize(ref _message, lengthBytes);
        }

        content.CopyTo(_message.AsSpan(_messageBytes));
        _messageBytes = lengthBytes;
    }

    private void CountInARow()
    {
        if (++_inARow > MaxInARow)
        {
            throw Unexpected($"more than {MaxInARow} records in a row without data");
        }
    }

    private static TlsException Unexpected(string what) => new(TlsFailure.Protocol, $"The peer sent {what}.", TlsAlert.UnexpectedMessage);
}
