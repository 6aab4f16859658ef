package sim

import (
	"slices"
	"time"
)

// These structs are the stored forms of rows. A tag names a member in the store, and never changes. A conversion such
// as storedDisclosure(d) compiles only while both structs have the same members.

type storedInstitution struct {
	InstitutionID    string                   `json:"institutionId,omitzero"`
	Multistatement   bool                     `json:"multistatement,omitzero"`
	AlertTypes       []storedAlertType        `json:"alertTypes,omitzero"`
	AlertPreferences []storedAlertDefault     `json:"alertPreferences,omitzero"`
	Disclosures      []storedCustomDisclosure `json:"disclosures,omitzero"`
}

type storedAlertType struct {
	ID       int64    `json:"id,omitzero"`
	Name     string   `json:"name,omitzero"`
	Channels []string `json:"channels,omitzero"`
	Status   string   `json:"status,omitzero"`
	Reason   string   `json:"reason,omitzero"`
}

type storedAlertDefault struct {
	ID              int64   `json:"id,omitzero"`
	AlertTypeName   string  `json:"alertTypeName,omitzero"`
	ChannelTypeName string  `json:"channelTypeName,omitzero"`
	AlertOpted      bool    `json:"alertOpted,omitzero"`
	AdditionalInfo  *string `json:"additionalInfo,omitzero"`
}

type storedCustomDisclosure struct {
	ID       string `json:"id,omitzero"`
	Name     string `json:"name,omitzero"`
	Data     string `json:"data,omitzero"`
	DataType string `json:"dataType,omitzero"`
}

func packInstitution(i *Institution) storedInstitution {
	return storedInstitution{
		InstitutionID:    i.InstitutionID,
		Multistatement:   i.Multistatement,
		AlertTypes:       converted(i.AlertTypes, packAlertType),
		AlertPreferences: converted(i.AlertPreferences, packAlertDefault),
		Disclosures:      converted(i.Disclosures, packCustomDisclosure),
	}
}

func (s *storedInstitution) unpack() *Institution {
	return &Institution{
		InstitutionID:    s.InstitutionID,
		Multistatement:   s.Multistatement,
		AlertTypes:       converted(s.AlertTypes, unpackAlertType),
		AlertPreferences: converted(s.AlertPreferences, unpackAlertDefault),
		Disclosures:      converted(s.Disclosures, unpackCustomDisclosure),
	}
}

func packAlertType(t AlertType) storedAlertType   { return storedAlertType(t) }
func unpackAlertType(s storedAlertType) AlertType { return AlertType(s) }

func packAlertDefault(d AlertDefault) storedAlertDefault   { return storedAlertDefault(d) }
func unpackAlertDefault(s storedAlertDefault) AlertDefault { return AlertDefault(s) }

func packCustomDisclosure(d CustomDisclosure) storedCustomDisclosure {
	return storedCustomDisclosure(d)
}
func unpackCustomDisclosure(s storedCustomDisclosure) CustomDisclosure { return CustomDisclosure(s) }

type storedClient struct {
	InstitutionID string            `json:"institutionId,omitzero"`
	SharedKey     string            `json:"sharedKey,omitzero"`
	SecretKey     string            `json:"secretKey,omitzero"`
	Codes         *storedCodePolicy `json:"codes,omitzero"`
}

type storedCodePolicy struct {
	Scopes                  []string `json:"scopes,omitzero"`
	RedirectURI             string   `json:"redirectUri,omitzero"`
	AppID                   string   `json:"appId,omitzero"`
	SecondaryAuthentication bool     `json:"secondaryAuthentication,omitzero"`
	Consent                 bool     `json:"consent,omitzero"`
	DeviceRegistration      bool     `json:"deviceRegistration,omitzero"`
}

func packClient(c *Client) storedClient {
	return storedClient{
		InstitutionID: c.InstitutionID,
		SharedKey:     c.SharedKey,
		SecretKey:     c.SecretKey,
		Codes:         (*storedCodePolicy)(c.Codes),
	}
}

func (s *storedClient) unpack() *Client {
	return &Client{
		InstitutionID: s.InstitutionID,
		SharedKey:     s.SharedKey,
		SecretKey:     s.SecretKey,
		Codes:         (*CodePolicy)(s.Codes),
	}
}

type storedUser struct {
	InstitutionID string             `json:"institutionId,omitzero"`
	HostUserID    string             `json:"hostUserId,omitzero"`
	Username      string             `json:"username,omitzero"`
	Password      string             `json:"password,omitzero"`
	Active        bool               `json:"active,omitzero"`
	Disclosures   []storedDisclosure `json:"disclosures,omitzero"`
	Status        *storedUserStatus  `json:"status,omitzero"`
}

type storedDisclosure struct {
	Name         string    `json:"name,omitzero"`
	Status       string    `json:"status,omitzero"`
	StatusUpdate time.Time `json:"statusUpdate,omitzero"`
	PaperWaiver  bool      `json:"paperWaiver,omitzero"`
}

type storedUserStatus struct {
	InstitutionUserID    string     `json:"institutionUserId,omitzero"`
	CustomerID           string     `json:"customerId,omitzero"`
	ParentHostUserID     string     `json:"parentHostUserId,omitzero"`
	OnHold               bool       `json:"onHold,omitzero"`
	Locked               bool       `json:"locked,omitzero"`
	Reset                bool       `json:"reset,omitzero"`
	Registered           bool       `json:"registered,omitzero"`
	Approved             bool       `json:"approved,omitzero"`
	Rejected             bool       `json:"rejected,omitzero"`
	FailedLogins         int        `json:"failedLogins,omitzero"`
	FailedPasswordResets int        `json:"failedPasswordResets,omitzero"`
	LastLogin            *time.Time `json:"lastLogin,omitzero"`
	HeldAt               *time.Time `json:"heldAt,omitzero"`
	HoldReason           string     `json:"holdReason,omitzero"`
	HeldBy               string     `json:"heldBy,omitzero"`
}

func packUser(u *User) storedUser {
	return storedUser{
		InstitutionID: u.InstitutionID,
		HostUserID:    u.HostUserID,
		Username:      u.Username,
		Password:      u.Password,
		Active:        u.Active,
		Disclosures:   converted(u.Disclosures, packDisclosure),
		Status:        (*storedUserStatus)(u.Status),
	}
}

func (s *storedUser) unpack() *User {
	return &User{
		InstitutionID: s.InstitutionID,
		HostUserID:    s.HostUserID,
		Username:      s.Username,
		Password:      s.Password,
		Active:        s.Active,
		Disclosures:   converted(s.Disclosures, unpackDisclosure),
		Status:        (*UserStatus)(s.Status),
	}
}

func packDisclosure(d Disclosure) storedDisclosure   { return storedDisclosure(d) }
func unpackDisclosure(s storedDisclosure) Disclosure { return Disclosure(s) }

type storedAccount struct {
	InstitutionID      string             `json:"institutionId,omitzero"`
	HostUserID         string             `json:"hostUserId,omitzero"`
	AccountID          string             `json:"accountId,omitzero"`
	ActivateEstatement bool               `json:"activateEstatement,omitzero"`
	Disclosures        []storedDisclosure `json:"disclosures,omitzero"`
	UpdateFails        bool               `json:"updateFails,omitzero"`
}

func packAccount(a *Account) storedAccount {
	return storedAccount{
		InstitutionID:      a.InstitutionID,
		HostUserID:         a.HostUserID,
		AccountID:          a.AccountID,
		ActivateEstatement: a.ActivateEstatement,
		Disclosures:        converted(a.Disclosures, packDisclosure),
		UpdateFails:        a.UpdateFails,
	}
}

func (s *storedAccount) unpack() *Account {
	return &Account{
		InstitutionID:      s.InstitutionID,
		HostUserID:         s.HostUserID,
		AccountID:          s.AccountID,
		ActivateEstatement: s.ActivateEstatement,
		Disclosures:        converted(s.Disclosures, unpackDisclosure),
		UpdateFails:        s.UpdateFails,
	}
}

type storedGrant struct {
	InstitutionID string               `json:"institutionId,omitzero"`
	SharedKey     string               `json:"sharedKey,omitzero"`
	HostUserID    string               `json:"hostUserId,omitzero"`
	Sequence      uint64               `json:"sequence,omitzero"`
	GrantType     string               `json:"grantType,omitzero"`
	Scopes        string               `json:"scopes,omitzero"`
	Code          string               `json:"code,omitzero"`
	OpenID        *storedOpenIDRequest `json:"openId,omitzero"`
	AccessToken   string               `json:"accessToken,omitzero"`
	RefreshToken  string               `json:"refreshToken,omitzero"`
	Revoked       bool                 `json:"revoked,omitzero"`
	AccessRevoked bool                 `json:"accessRevoked,omitzero"`
	Added         bool                 `json:"added,omitzero"`
}

type storedOpenIDRequest struct {
	RequestedScopes string `json:"requestedScopes,omitzero"`
	Nonce           string `json:"nonce,omitzero"`
	Audience        string `json:"audience,omitzero"`
	AuthTime        int64  `json:"authTime,omitzero"`
}

func packGrant(g *Grant) storedGrant {
	return storedGrant{
		InstitutionID: g.InstitutionID,
		SharedKey:     g.SharedKey,
		HostUserID:    g.HostUserID,
		Sequence:      g.Sequence,
		GrantType:     g.GrantType,
		Scopes:        g.Scopes,
		Code:          g.Code,
		OpenID:        (*storedOpenIDRequest)(g.OpenID),
		AccessToken:   g.AccessToken,
		RefreshToken:  g.RefreshToken,
		Revoked:       g.Revoked,
		AccessRevoked: g.AccessRevoked,
		Added:         g.added,
	}
}

func (s *storedGrant) unpack() *Grant {
	return &Grant{
		InstitutionID: s.InstitutionID,
		SharedKey:     s.SharedKey,
		HostUserID:    s.HostUserID,
		Sequence:      s.Sequence,
		GrantType:     s.GrantType,
		Scopes:        s.Scopes,
		Code:          s.Code,
		OpenID:        (*OpenIDRequest)(s.OpenID),
		AccessToken:   s.AccessToken,
		RefreshToken:  s.RefreshToken,
		Revoked:       s.Revoked,
		AccessRevoked: s.AccessRevoked,
		added:         s.Added,
	}
}

type storedToken struct {
	Text      string         `json:"text,omitzero"`
	Refresh   bool           `json:"refresh,omitzero"`
	Code      bool           `json:"code,omitzero"`
	IssuedAt  time.Time      `json:"issuedAt,omitzero"`
	ExpiresAt time.Time      `json:"expiresAt,omitzero"`
	Revoked   bool           `json:"revoked,omitzero"`
	Grant     storedGrantKey `json:"grant,omitzero"`
	Added     bool           `json:"added,omitzero"`
}

type storedGrantKey struct {
	InstitutionID string `json:"institutionId,omitzero"`
	SharedKey     string `json:"sharedKey,omitzero"`
	HostUserID    string `json:"hostUserId,omitzero"`
	Sequence      uint64 `json:"sequence,omitzero"`
}

func packToken(t *Token) storedToken {
	return storedToken{
		Text:      t.Text,
		Refresh:   t.Refresh,
		Code:      t.Code,
		IssuedAt:  t.IssuedAt,
		ExpiresAt: t.ExpiresAt,
		Revoked:   t.Revoked,
		Grant: storedGrantKey{
			InstitutionID: t.grant.InstitutionID,
			SharedKey:     t.grant.SharedKey,
			HostUserID:    t.grant.HostUserID,
			Sequence:      t.grant.Sequence,
		},
		Added: t.added,
	}
}

func (s *storedToken) unpack() *Token {
	return &Token{
		Text:      s.Text,
		Refresh:   s.Refresh,
		Code:      s.Code,
		IssuedAt:  s.IssuedAt,
		ExpiresAt: s.ExpiresAt,
		Revoked:   s.Revoked,
		grant: &Grant{
			InstitutionID: s.Grant.InstitutionID,
			SharedKey:     s.Grant.SharedKey,
			HostUserID:    s.Grant.HostUserID,
			Sequence:      s.Grant.Sequence,
		},
		added: s.Added,
	}
}

type storedGroup struct {
	InstitutionID    string    `json:"institutionId,omitzero"`
	GroupID          string    `json:"groupId,omitzero"`
	Sequence         uint64    `json:"sequence,omitzero"`
	Name             string    `json:"name,omitzero"`
	Description      string    `json:"description,omitzero"`
	Status           string    `json:"status,omitzero"`
	LastUpdated      time.Time `json:"lastUpdated,omitzero"`
	ParticipantCount int       `json:"participantCount,omitzero"`
	ExperienceID     string    `json:"experienceId,omitzero"`
	ExperienceName   string    `json:"experienceName,omitzero"`
	Participants     []string  `json:"participants,omitzero"`
}

func packGroup(g *Group) storedGroup {
	return storedGroup{
		InstitutionID:    g.InstitutionID,
		GroupID:          g.GroupID,
		Sequence:         g.Sequence,
		Name:             g.Name,
		Description:      g.Description,
		Status:           g.Status,
		LastUpdated:      g.LastUpdated,
		ParticipantCount: g.ParticipantCount,
		ExperienceID:     g.ExperienceID,
		ExperienceName:   g.ExperienceName,
		Participants:     slices.Collect(g.Participants()),
	}
}

func (s *storedGroup) unpack() *Group {
	return &Group{
		InstitutionID:    s.InstitutionID,
		GroupID:          s.GroupID,
		Sequence:         s.Sequence,
		Name:             s.Name,
		Description:      s.Description,
		Status:           s.Status,
		LastUpdated:      s.LastUpdated,
		ParticipantCount: s.ParticipantCount,
		ExperienceID:     s.ExperienceID,
		ExperienceName:   s.ExperienceName,
		participants:     participantsOf(s.Participants),
	}
}

type storedJob struct {
	InstitutionID string           `json:"institutionId,omitzero"`
	JobID         string           `json:"jobId,omitzero"`
	GroupID       string           `json:"groupId,omitzero"`
	Sequence      uint64           `json:"sequence,omitzero"`
	Type          string           `json:"type,omitzero"`
	FileName      string           `json:"fileName,omitzero"`
	CreatedBy     string           `json:"createdBy,omitzero"`
	Created       time.Time        `json:"created,omitzero"`
	Status        string           `json:"status,omitzero"`
	Details       string           `json:"details,omitzero"`
	Updated       time.Time        `json:"updated,omitzero"`
	Total         int              `json:"total,omitzero"`
	Succeeded     int              `json:"succeeded,omitzero"`
	Failed        int              `json:"failed,omitzero"`
	Errors        []storedJobError `json:"errors,omitzero"`
	Work          *storedJobWork   `json:"work,omitzero"`
}

type storedJobError struct {
	Line    int    `json:"line,omitzero"`
	Message string `json:"message,omitzero"`
}

type storedJobWork struct {
	Begins       time.Time `json:"begins,omitzero"`
	Ends         time.Time `json:"ends,omitzero"`
	Participants []string  `json:"participants,omitzero"`
}

func packJob(j *Job) storedJob {
	return storedJob{
		InstitutionID: j.InstitutionID,
		JobID:         j.JobID,
		GroupID:       j.GroupID,
		Sequence:      j.Sequence,
		Type:          j.Type,
		FileName:      j.FileName,
		CreatedBy:     j.CreatedBy,
		Created:       j.Created,
		Status:        j.Status,
		Details:       j.Details,
		Updated:       j.Updated,
		Total:         j.Total,
		Succeeded:     j.Succeeded,
		Failed:        j.Failed,
		Errors:        converted(j.Errors, packJobError),
		Work:          (*storedJobWork)(j.Work),
	}
}

func (s *storedJob) unpack() *Job {
	return &Job{
		InstitutionID: s.InstitutionID,
		JobID:         s.JobID,
		GroupID:       s.GroupID,
		Sequence:      s.Sequence,
		Type:          s.Type,
		FileName:      s.FileName,
		CreatedBy:     s.CreatedBy,
		Created:       s.Created,
		Status:        s.Status,
		Details:       s.Details,
		Updated:       s.Updated,
		Total:         s.Total,
		Succeeded:     s.Succeeded,
		Failed:        s.Failed,
		Errors:        converted(s.Errors, unpackJobError),
		Work:          (*JobWork)(s.Work),
	}
}

func packJobError(e JobError) storedJobError   { return storedJobError(e) }
func unpackJobError(s storedJobError) JobError { return JobError(s) }

type storedAlertPreference struct {
	InstitutionID      string              `json:"institutionId,omitzero"`
	HostUserID         string              `json:"hostUserId,omitzero"`
	AlertPrefID        int64               `json:"alertPrefId,omitzero"`
	AdditionalInfo     *string             `json:"additionalInfo,omitzero"`
	AlertOpted         *bool               `json:"alertOpted,omitzero"`
	Account            *storedAlertAccount `json:"account,omitzero"`
	Details            *storedAlertDetails `json:"details,omitzero"`
	AllowCallback      *bool               `json:"allowCallback,omitzero"`
	DefaultPreferences *bool               `json:"defaultPreferences,omitzero"`
}

type storedAlertAccount struct {
	AccountExternalID *string `json:"accountExternalId,omitzero"`
	AccountID         *string `json:"accountId,omitzero"`
	CardNumber        *string `json:"cardNumber,omitzero"`
}

type storedAlertDetails struct {
	AlertTypeName         *string `json:"alertTypeName,omitzero"`
	ChannelTypeName       *string `json:"channelTypeName,omitzero"`
	ExternalID            *string `json:"externalId,omitzero"`
	InstitutionCustomerID *string `json:"institutionCustomerId,omitzero"`
	InstitutionID         *string `json:"institutionId,omitzero"`
}

func packAlertPreference(p *AlertPreference) storedAlertPreference {
	return storedAlertPreference{
		InstitutionID:      p.InstitutionID,
		HostUserID:         p.HostUserID,
		AlertPrefID:        p.AlertPrefID,
		AdditionalInfo:     p.AdditionalInfo,
		AlertOpted:         p.AlertOpted,
		Account:            (*storedAlertAccount)(p.Account),
		Details:            (*storedAlertDetails)(p.Details),
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
	}
}

func (s *storedAlertPreference) unpack() *AlertPreference {
	return &AlertPreference{
		InstitutionID: s.InstitutionID,
		HostUserID:    s.HostUserID,
		AlertPrefID:   s.AlertPrefID,
		AlertContent: AlertContent{
			AdditionalInfo:     s.AdditionalInfo,
			AlertOpted:         s.AlertOpted,
			Account:            (*AlertAccount)(s.Account),
			Details:            (*AlertDetails)(s.Details),
			AllowCallback:      s.AllowCallback,
			DefaultPreferences: s.DefaultPreferences,
		},
	}
}

type storedRequestID struct {
	InstitutionID string `json:"institutionId,omitzero"`
	ID            string `json:"id,omitzero"`
	Sequence      uint64 `json:"sequence,omitzero"`
}

func packRequestID(u *usedRequestID) storedRequestID { return storedRequestID(*u) }

func (s *storedRequestID) unpack() *usedRequestID { return (*usedRequestID)(s) }

// converted returns items in another form. A nil slice stays nil.
func converted[A, B any](items []A, convert func(A) B) []B {
	if items == nil {
		return nil
	}
	all := make([]B, len(items))
	for i, item := range items {
		all[i] = convert(item)
	}
	return all
}
