using System.Text;

namespace Ioxide.Pg;

/// <summary>Determines the effects that an SQL text may have on its session.</summary>
/// <remarks>
/// <para>A command counts as harmless only if it is known to leave its session unchanged: the commands named here, and functions of PostgreSQL
/// that are declared immutable or stable, with a few others (<see cref="SessionWords"/>). Every other command, and every other function that
/// is called by its name, is <see cref="SessionEffect.Unknown"/>.</para>
/// <para>Calls that the text does not name are not seen: those of triggers, views, policies, operators and casts. Commands that
/// write are therefore <see cref="SessionEffect.Touches"/>: they run triggers and take values from sequences.</para>
/// </remarks>
internal ref struct SessionScan
{
    private SqlLexer _lexer;
    private SessionEffect _effect;
    private Before _before;
    private Phase _phase;

    /// <summary>The relevant kinds of tokens before a name.</summary>
    private enum Before
    {
        Other,
        CloseParenthesis,
        Comma,
        Cast,
        As,
        With,
        Writes,
        Into,
    }

    /// <summary>The position of the scan in a statement.</summary>
    private enum Phase
    {
        Start,
        Create,
        Set,
        Discard,
        Prepare,
        Declare,
        Rest,
    }

    /// <summary>Returns the combined effects of a text's statements.</summary>
    internal static SessionEffect Of(ReadOnlySpan<byte> sql)
    {
        var scan = new SessionScan { _lexer = new SqlLexer(sql) };
        scan.Run();
        return scan._lexer.IsCutOff ? scan._effect | SessionEffect.Unknown : scan._effect;
    }

    private void Run()
    {
        _lexer.Next();
        while (_lexer.Kind != SqlTokenKind.End)
        {
            switch (_lexer.Kind)
            {
                case SqlTokenKind.Word when _phase != Phase.Rest:
                    TakeLeadingWord();
                    break;
                case SqlTokenKind.QuotedName when _phase != Phase.Rest:
                    _effect |= _phase == Phase.Set ? SessionEffect.ForSession
                        : _phase == Phase.Prepare ? SessionEffect.Prepares
                        : SessionEffect.Unknown;
                    _phase = Phase.Rest;
                    break;
                case SqlTokenKind.Word or SqlTokenKind.QuotedName:
                    TakeName();
                    break;
                default:
                    TakeOther();
                    break;
            }
        }
    }

    private void TakeOther()
    {
        bool isOpening = _lexer.IsSymbol('(');
        if (_lexer.IsSymbol(';'))
        {
            _phase = Phase.Start;
        }
        else if (_phase != Phase.Start)
        {
            _phase = Phase.Rest;
        }
        else if (!isOpening)
        {
            _effect |= SessionEffect.Unknown;
        }

        _before = _lexer.Kind == SqlTokenKind.Cast ? Before.Cast
            : _lexer.IsSymbol(')') ? Before.CloseParenthesis
            : _lexer.IsSymbol(',') ? Before.Comma
            : Before.Other;
        _lexer.Next();
    }

    private void TakeLeadingWord()
    {
        Span<char> buffer = stackalloc char[SessionWords.MaxLength];
        ReadOnlySpan<char> word = SessionWords.Lower(_lexer.Text, buffer);
        Phase phase = _phase;
        _phase = Phase.Rest;
        switch (phase)
        {
            case Phase.Start:
                TakeCommand(word);
                return;
            case Phase.Create when word is "or" or "replace" or "global" or "local":
                _phase = Phase.Create;
                break;
            case Phase.Create when word is "temp" or "temporary":
                _effect |= SessionEffect.ForSession;
                break;
            case Phase.Set when word is "constraints":
                _effect |= SessionEffect.Touches | SessionEffect.Waits;
                break;
            case Phase.Set when word is not ("local" or "transaction"):
                _effect |= SessionEffect.ForSession;
                break;
            case Phase.Discard when word is "prepare":
                _phase = Phase.Discard;
                break;
            case Phase.Prepare when word is not "transaction":
                _effect |= SessionEffect.Prepares;
                break;
            case Phase.Discard when word is "all":
                _effect |= SessionEffect.ForgetsStatements;
                break;
            case Phase.Declare when word is "hold" && _before == Before.With:
                _effect |= SessionEffect.ForSession;
                break;
            case Phase.Declare when word is not "for":
                _phase = Phase.Declare;
                break;
            default:
                TakeName();
                return;
        }

        _before = word is "with" ? Before.With : Before.Other;
        _lexer.Next();
    }

    private void TakeCommand(scoped ReadOnlySpan<char> command)
    {
        switch (command)
        {
            case "select" or "values" or "table" or "show" or "fetch" or "move" or "close" or "notify":
            case "begin" or "start" or "commit" or "end" or "rollback" or "abort" or "savepoint" or "release":
                break;
            case "with" or "insert" or "update" or "delete" or "merge":
                TakeName();
                return;
            case "lock":
                _effect |= SessionEffect.Waits;
                break;
            case "declare":
                _phase = Phase.Declare;
                break;
            case "set":
                _phase = Phase.Set;
                break;
            case "discard" or "deallocate":
                _effect |= SessionEffect.ForSession;
                _phase = Phase.Discard;
                break;
            case "prepare":
                _effect |= SessionEffect.ForSession;
                _phase = Phase.Prepare;
                break;
            case "reset" or "listen" or "unlisten" or "load":
                _effect |= SessionEffect.ForSession;
                break;
            case "create":
                _effect |= SessionEffect.Unknown;
                _phase = Phase.Create;
                break;
            default:
                _effect |= SessionEffect.Unknown;
                break;
        }

        _before = Before.Other;
        _lexer.Next();
    }

    /// <summary>A keyword, or a name with or without a schema, which may be a function's.</summary>
    private void TakeName()
    {
        ReadOnlySpan<byte> schema = default;
        ReadOnlySpan<byte> name = _lexer.Text;
        bool isQuoted = _lexer.Kind == SqlTokenKind.QuotedName;
        Before before = _before;
        _before = Before.Other;
        _lexer.Next();
        while (_lexer.IsSymbol('.'))
        {
            _lexer.Next();
            if (_lexer.Kind is not (SqlTokenKind.Word or SqlTokenKind.QuotedName))
            {
                return;
            }

            schema = name;
            name = _lexer.Text;
            isQuoted = _lexer.Kind == SqlTokenKind.QuotedName;
            _lexer.Next();
        }

        if (schema.StartsWith("pg_temp"u8) || (schema.IsEmpty && name.StartsWith("pg_temp"u8)))
        {
            _effect |= SessionEffect.Unknown;
        }

        Span<char> buffer = stackalloc char[SessionWords.MaxLength];
        ReadOnlySpan<char> word = isQuoted ? SessionWords.Exact(name, buffer) : SessionWords.Lower(name, buffer);
        if (schema.IsEmpty && !isQuoted && TakeKeyword(word, before))
        {
            return;
        }

        if (_lexer.IsSymbol('(') && before is not (Before.CloseParenthesis or Before.As or Before.Cast or Before.With or Before.Into))
        {
            bool isBuiltIn = schema.IsEmpty || Ascii.EqualsIgnoreCase(schema, "pg_catalog"u8);
            TakeCall(isBuiltIn ? word : default, before);
        }
    }

    private bool TakeKeyword(scoped ReadOnlySpan<char> word, Before before)
    {
        switch (word)
        {
            case "insert" or "merge" or "update" or "delete":
                _effect |= SessionEffect.Touches | SessionEffect.Waits;
                _before = word is "insert" or "merge" ? Before.Writes : Before.Other;
                return true;
            case "share":
                _effect |= SessionEffect.Waits;
                return false;
            case "into":
                _effect |= before == Before.Writes ? SessionEffect.None
                    : _lexer.IsWord("temp"u8) || _lexer.IsWord("temporary"u8) ? SessionEffect.ForSession
                    : SessionEffect.Unknown;
                _before = Before.Into;
                return true;
            case "with" or "recursive":
                _before = Before.With;
                return true;
            case "as":
                _before = Before.As;
                return true;
            default:
                return false;
        }
    }

    /// <summary>Handles a call, or a name that looks like one: the lexer is at the parenthesis.</summary>
    /// <param name="name">The function, if it is PostgreSQL's own or has no schema; empty: it is of another schema.</param>
    /// <param name="before">The token before it.</param>
    private void TakeCall(scoped ReadOnlySpan<char> name, Before before)
    {
        _effect |= name switch
        {
            "set_config" => IsLocalSetting() ? SessionEffect.None : SessionEffect.Touches | SessionEffect.Changes,
            "nextval" or "setval" => SessionEffect.Touches,
            "currval" or "lastval" => SessionEffect.ForSession,
            "pg_advisory_xact_lock" or "pg_advisory_xact_lock_shared" => SessionEffect.Waits,
            "pg_advisory_lock" or "pg_advisory_lock_shared" or "pg_try_advisory_lock" or "pg_try_advisory_lock_shared"
                or "pg_advisory_unlock" or "pg_advisory_unlock_shared" or "pg_advisory_unlock_all"
                => SessionEffect.ForSession | SessionEffect.Waits,
            _ when SessionWords.IsHarmless(name) => SessionEffect.None,
            _ when before == Before.Comma && IsCommonTable() => SessionEffect.None,
            _ => SessionEffect.Unknown,
        };
    }

    /// <summary>The call ends in <c>, true)</c>: the setting ends with the transaction.</summary>
    private readonly bool IsLocalSetting()
    {
        SqlLexer ahead = _lexer;
        int depth = 0;
        bool isTrue = false;
        bool isComma = false;
        do
        {
            if (ahead.IsSymbol(')') && --depth == 0)
            {
                return isTrue;
            }

            depth += ahead.IsSymbol('(') ? 1 : 0;
            isTrue = isComma && depth == 1 && ahead.IsWord("true"u8);
            isComma = ahead.IsSymbol(',');
        }
        while (ahead.Next());
        return false;
    }

    /// <summary>Whether it is the column list of a further query of a WITH: <c>with a(x) as (...), b(y) as (select ...)</c>.</summary>
    /// <remarks>A function may have a list of columns too: <c>f(1) as (y int)</c>. No column has a reserved word as its name.</remarks>
    private readonly bool IsCommonTable()
    {
        SqlLexer ahead = _lexer;
        int depth = 0;
        do
        {
            depth += ahead.IsSymbol('(') ? 1 : ahead.IsSymbol(')') ? -1 : 0;
        }
        while (depth > 0 && ahead.Next());
        if (!ahead.Next() || !ahead.IsWord("as"u8) || !ahead.Next())
        {
            return false;
        }

        if (!ahead.IsSymbol('('))
        {
            return ahead.IsWord("materialized"u8) || ahead.IsWord("not"u8);
        }

        ahead.Next();
        return ahead.IsWord("select"u8) || ahead.IsWord("with"u8) || ahead.IsWord("table"u8)
            || (ahead.IsWord("values"u8) && ahead.Next() && ahead.IsSymbol('('));
    }
}

/// <summary>The effects that an SQL text may have on its session, beyond its transaction.</summary>
[Flags]
internal enum SessionEffect : byte
{
    /// <summary>No effect beyond its transaction.</summary>
    None = 0,

    /// <summary>It may wait for a lock or for time. Commands of others are not queued behind it if another connection is available.</summary>
    Waits = 1,

    /// <summary>It may leave state that later commands do not see but a new session lacks: a sequence's last value.</summary>
    Touches = 2,

    /// <summary>It may leave state that the next command sees: a setting, a lock, a temporary table.</summary>
    Changes = 4,

    /// <summary>The state that it leaves is its only purpose: alone on a shared connection it would have no effect.</summary>
    Belongs = 8,

    /// <summary>It drops every prepared statement of the session.</summary>
    ForgetsStatements = 16,

    /// <summary>It leaves a prepared statement with a name of its own choice.</summary>
    Prepares = 32,

    /// <summary>Every effect that an unknown text may have.</summary>
    Unknown = Waits | Touches | Changes,

    /// <summary>A command that is for the session alone, such as SET or LISTEN.</summary>
    ForSession = Touches | Changes | Belongs,
}
